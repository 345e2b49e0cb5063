import torch
from torch import nn
import torch.autograd as autograd


def make_critic(n=6, h=24):
    return nn.Sequential(
        nn.Linear(n, h),
        nn.LeakyReLU(0.2),
        nn.Linear(h, h),
        nn.LeakyReLU(0.2),
        nn.Linear(h, 1),
    )


def gradient_penalty(D, real, fake):
    alpha = torch.rand(real.size(0), 1)
    mix = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    out = D(mix)
    grads = autograd.grad(outputs=out, inputs=mix, grad_outputs=torch.ones_like(out), create_graph=True, retain_graph=True)[0]
    return ((grads.norm(2, dim=1) - 1) ** 2).mean()


def gradflow_probe():
    torch.manual_seed(0)
    critic = make_critic()
    generator = nn.Linear(3, 6)
    real = torch.randn(16, 6) + 1
    fake = generator(torch.randn(16, 3)).detach()
    loss = critic(fake).mean() - critic(real).mean() + 10 * gradient_penalty(critic, real, fake)
    return critic, loss
