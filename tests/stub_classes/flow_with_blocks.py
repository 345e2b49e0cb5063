import torch


class Net(torch.nn.Module):
    def __init__(self, n_in_channels, n_mel_channels, n_layers, n_channels, kernel_size):
        super(Net, self).__init__()
        self.start = torch.nn.Conv1d(n_in_channels, n_channels, 1)
        self.cond = torch.nn.Conv1d(n_mel_channels, n_channels * n_layers, 1)
        self.layers = torch.nn.ModuleList(
            torch.nn.Conv1d(n_channels, n_channels, kernel_size, padding=kernel_size // 2) for _ in range(n_layers)
        )
        self.end = torch.nn.Conv1d(n_channels, 2 * n_in_channels, 1)

    def forward(self, audio, spect):
        h = self.start(audio)
        for layer, cond in zip(self.layers, self.cond(spect).chunk(len(self.layers), 1)):
            h = h + torch.tanh(layer(h) + cond)
        return self.end(h)


class Squeezed(torch.nn.Module):
    def __init__(self, n_mel_channels, n_flows, n_group, net_config):
        super(Squeezed, self).__init__()
        assert n_group % 2 == 0
        self.n_group = n_group
        self.flows = torch.nn.ModuleList()
        for _ in range(n_flows):
            self.flows.append(Net(n_group // 2, n_mel_channels * n_group, **net_config))

    def forward(self, forward_input):
        spect, audio = forward_input
        spect = torch.nn.functional.interpolate(spect, size=audio.size(1))
        spect = spect.unfold(2, self.n_group, self.n_group).permute(0, 2, 1, 3)
        spect = spect.contiguous().view(spect.size(0), spect.size(1), -1).permute(0, 2, 1)
        audio = audio.unfold(1, self.n_group, self.n_group).permute(0, 2, 1)
        log_s_sum = 0
        for flow in self.flows:
            half = self.n_group // 2
            kept, changed = audio[:, :half], audio[:, half:]
            log_s, b = flow(kept, spect).chunk(2, 1)
            audio = torch.cat([torch.exp(log_s) * changed + b, kept], 1)
            log_s_sum = log_s_sum + log_s.sum()
        return audio, log_s_sum
