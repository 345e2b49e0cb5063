import torch, torch.nn as nn

class Res(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.f = nn.Sequential(nn.ReLU(), nn.Conv2d(ch, ch, 3, 1, 1), nn.ReLU(), nn.Conv2d(ch, ch, 3, 1, 1))
        self.alpha = nn.Parameter(torch.zeros(()))
    def forward(self, x):
        return x + self.alpha * self.f(x)

net_width = 6
def make():
    return nn.Sequential()

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Conv2d(1, net_width, 3, 1, 1)
        self.body = nn.Sequential(Res(net_width), Res(net_width))
        self.out = nn.Linear(net_width, 10)
    def forward(self, x):
        return self.out(self.body(self.inp(x)).amax((2, 3)))

def gradflow_probe():
    torch.manual_seed(0)
    net = Net()
    out = net(torch.rand(5, 1, 12, 12))
    return net, nn.functional.nll_loss(out.log_softmax(1), torch.tensor([3, 1, 4, 1, 5]))
