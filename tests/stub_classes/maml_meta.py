from collections import OrderedDict

import torch
from torch import nn
from torch.nn import functional as F


class Learner(nn.Module):
    """

    """

    def __init__(self, config, imgc, imgsz):
        """

        :param config: network config file, type:list of (string, list)
        :param imgc: 1 or 3
        :param imgsz:  28 or 84
        """
        super(Learner, self).__init__()
        self.config = config
        self.vars = nn.ParameterList()
        for i, (name, param) in enumerate(self.config):
            if name == 'conv2d':
                w = nn.Parameter(torch.ones(*param[:4]))
                torch.nn.init.kaiming_normal_(w)
                self.vars.append(w)
                self.vars.append(nn.Parameter(torch.zeros(param[0])))
            elif name == 'linear':
                w = nn.Parameter(torch.ones(*param))
                torch.nn.init.kaiming_normal_(w)
                self.vars.append(w)
                self.vars.append(nn.Parameter(torch.zeros(param[0])))
            elif name in ['relu', 'flatten', 'max_pool2d']:
                continue
            else:
                raise NotImplementedError

    def forward(self, x, vars=None):
        if vars is None:
            vars = self.vars
        idx = 0
        for name, param in self.config:
            if name == 'conv2d':
                w, b = vars[idx], vars[idx + 1]
                x = F.conv2d(x, w, b, stride=param[4], padding=param[5])
                idx += 2
            elif name == 'linear':
                w, b = vars[idx], vars[idx + 1]
                x = F.linear(x, w, b)
                idx += 2
            elif name == 'flatten':
                x = x.view(x.size(0), -1)
            elif name == 'relu':
                x = F.relu(x, inplace=param[0])
            elif name == 'max_pool2d':
                x = F.max_pool2d(x, param[0], param[1], param[2])
        return x


CONFIG = [
    ('conv2d', [16, 1, 3, 3, 2, 0]),
    ('relu', [True]),
    ('conv2d', [16, 16, 3, 3, 2, 0]),
    ('relu', [True]),
    ('flatten', []),
    ('linear', [5, 16 * 6 * 6]),
]


class MetaLearner(nn.Module):
    def __init__(self, update_lr=0.4, n_way=5, k_spt=1, steps=1):
        super().__init__()
        self.update_lr = update_lr
        self.steps = steps
        self.net = Learner(CONFIG, 1, 28)

    def forward(self, x_spt, y_spt, x_qry, y_qry):
        """
        x_spt:   [setsz, c_, h, w]
        y_spt:   [setsz]
        x_qry:   [querysz, c_, h, w]
        y_qry:   [querysz]
        """
        fast = list(self.net.parameters())
        for _ in range(self.steps):
            loss = F.cross_entropy(self.net(x_spt, fast), y_spt)
            grad = torch.autograd.grad(loss, fast, create_graph=True)
            fast = list(map(lambda p: p[1] - self.update_lr * p[0], zip(grad, fast)))
        logits_q = self.net(x_qry, fast)
        loss_q = F.cross_entropy(logits_q, y_qry)
        return loss_q
