import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, embedding_dim, hidden_dim, n_layers, dropout, bidir):
        super(Encoder, self).__init__()
        self.hidden_dim = hidden_dim//2 if bidir else hidden_dim
        self.n_layers = n_layers*2 if bidir else n_layers
        self.bidir = bidir
        self.lstm = nn.LSTM(embedding_dim, self.hidden_dim, n_layers, dropout=dropout, bidirectional=bidir)
        self.h0 = nn.Parameter(torch.zeros(1), requires_grad=False)
        self.c0 = nn.Parameter(torch.zeros(1), requires_grad=False)

    def forward(self, embedded_inputs, hidden):
        embedded_inputs = embedded_inputs.permute(1, 0, 2)
        outputs, hidden = self.lstm(embedded_inputs, hidden)
        return outputs.permute(1, 0, 2), hidden

    def init_hidden(self, embedded_inputs):
        batch_size = embedded_inputs.size(0)
        # Reshaping (Expanding)
        h0 = self.h0.unsqueeze(0).unsqueeze(0).repeat(self.n_layers, batch_size, self.hidden_dim)
        c0 = self.h0.unsqueeze(0).unsqueeze(0).repeat(self.n_layers, batch_size, self.hidden_dim)
        return h0, c0


class PointerNetwork(nn.Module):
    """
    Pointer-Net
    """

    def __init__(self, embedding_dim, hidden_dim, lstm_layers, dropout, bidir=False):
        super(PointerNetwork, self).__init__()
        self.embedding_dim = embedding_dim
        self.bidir = bidir
        self.embedding = nn.Linear(2, embedding_dim)
        self.encoder = Encoder(embedding_dim, hidden_dim, lstm_layers, dropout, bidir)
        self.cell = nn.LSTMCell(embedding_dim, hidden_dim)
        self.w1 = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w2 = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Parameter(torch.randn(hidden_dim))
        self.decoder_input0 = nn.Parameter(torch.FloatTensor(embedding_dim), requires_grad=False)
        # Initialize decoder_input0
        nn.init.uniform_(self.decoder_input0, -1, 1)

    def forward(self, inputs):
        """
        :param Tensor inputs: Input sequence (batch x length x 2)
        :return: Pointers probabilities and indices
        """
        batch_size = inputs.size(0)
        input_length = inputs.size(1)
        decoder_input = self.decoder_input0.unsqueeze(0).expand(batch_size, -1)
        inputs = inputs.view(batch_size * input_length, -1)
        embedded_inputs = self.embedding(inputs).view(batch_size, input_length, -1)
        hidden0 = self.encoder.init_hidden(embedded_inputs)
        encoder_outputs, hidden = self.encoder(embedded_inputs, hidden0)
        h, c = hidden[0][-1], hidden[1][-1]
        mask = torch.ones(batch_size, input_length)
        runner = torch.arange(input_length).unsqueeze(0).expand(batch_size, -1).long()
        outputs, pointers = [], []
        for _ in range(input_length):
            h, c = self.cell(decoder_input, (h, c))
            score = torch.tanh(self.w1(encoder_outputs) + self.w2(h).unsqueeze(1)) @ self.v
            probs = torch.softmax(score.masked_fill(mask == 0, -1e9), -1)
            max_probs, indices = (probs * mask).max(1)
            one_hot = (runner == indices.unsqueeze(1).expand(-1, probs.size()[1])).float()
            mask = mask * (1 - one_hot)
            pick = one_hot.unsqueeze(2).expand(-1, -1, self.embedding_dim).bool()
            decoder_input = embedded_inputs[pick].view(batch_size, self.embedding_dim)
            outputs.append(probs.unsqueeze(1))
            pointers.append(indices.unsqueeze(1))
        return torch.cat(outputs, 1), torch.cat(pointers, 1)
