"""Old tutorial style."""
import torch
import torch.nn as nn
from torch.autograd import Variable


class RNN(nn.Module):
    def __init__(self, n_in, n_hid, n_out):
        super(RNN, self).__init__()
        self.n_hid = n_hid
        self.i2h = nn.Linear(n_in + n_hid, n_hid)
        self.i2o = nn.Linear(n_hid, n_out)

    def forward(self, x, h):
        h = torch.tanh(self.i2h(torch.cat((x, h), 1)))
        return self.i2o(Variable(h)), h

    def init_hidden(self, n):
        return Variable(torch.zeros(n, self.n_hid))


def gradflow_probe():
    torch.manual_seed(0)
    rnn = RNN(5, 9, 3)
    line = Variable(torch.randn(7, 4, 5))
    h = rnn.init_hidden(4)
    for i in range(line.size(0)):
        out, h = rnn(line[i], h)
    return rnn, nn.CrossEntropyLoss()(out, torch.tensor([0, 1, 2, 0]))
