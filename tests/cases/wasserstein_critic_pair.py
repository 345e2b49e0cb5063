import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm


def gradflow_probe():
    torch.manual_seed(0)
    generator = nn.Sequential(nn.Linear(3, 12), nn.BatchNorm1d(12), nn.LeakyReLU(0.2), nn.Linear(12, 5))
    critic = nn.Sequential(spectral_norm(nn.Linear(5, 12)), nn.LeakyReLU(0.2), spectral_norm(nn.Linear(12, 1)))
    fake = generator(torch.randn(16, 3))
    real = torch.randn(16, 5)
    judged = critic(torch.cat([real, fake.detach()]))
    critic_loss = nn.functional.relu(1 - judged[:16]).mean() + nn.functional.relu(1 + judged[16:]).mean()
    return (generator, critic), {"critic": critic_loss, "generator": -critic(fake).mean()}
