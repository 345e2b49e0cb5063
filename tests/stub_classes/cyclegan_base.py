import itertools
import torch
import torch.nn as nn


class ResBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv = nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(dim, dim, 3), nn.InstanceNorm2d(dim), nn.ReLU(True),
                                  nn.ReflectionPad2d(1), nn.Conv2d(dim, dim, 3), nn.InstanceNorm2d(dim))

    def forward(self, x):
        return x + self.conv(x)


def define_G(input_nc, output_nc, ngf, n_blocks=2):
    model = [nn.ReflectionPad2d(3), nn.Conv2d(input_nc, ngf, 7), nn.InstanceNorm2d(ngf), nn.ReLU(True)]
    model += [ResBlock(ngf) for i in range(n_blocks)]
    model += [nn.ReflectionPad2d(3), nn.Conv2d(ngf, output_nc, 7), nn.Tanh()]
    return nn.Sequential(*model)


def define_D(input_nc, ndf):
    return nn.Sequential(nn.Conv2d(input_nc, ndf, 4, 2, 1), nn.LeakyReLU(0.2, True), nn.Conv2d(ndf, 1, 4, 1, 1))


class CycleGANModel(nn.Module):
    """
    Holds both generators. The loss of the generators is what forward gives.
    """

    def __init__(self, opt):
        super().__init__()
        self.opt = opt
        self.netG_A = define_G(opt.input_nc, opt.output_nc, opt.ngf)
        self.netG_B = define_G(opt.output_nc, opt.input_nc, opt.ngf)
        self.netD_A = define_D(opt.output_nc, opt.ndf)
        self.netD_B = define_D(opt.input_nc, opt.ndf)
        self.criterionCycle = nn.L1Loss()
        if opt.lambda_identity > 0.0:
            assert opt.input_nc == opt.output_nc

    def forward(self, real_A, real_B):
        fake_B = self.netG_A(real_A)
        rec_A = self.netG_B(fake_B)
        fake_A = self.netG_B(real_B)
        rec_B = self.netG_A(fake_A)
        loss_gan = (self.netD_A(fake_B) - 1).pow(2).mean() + (self.netD_B(fake_A) - 1).pow(2).mean()
        loss_cycle = self.criterionCycle(rec_A, real_A) + self.criterionCycle(rec_B, real_B)
        return loss_gan + self.opt.lambda_cycle * loss_cycle, fake_B, fake_A
