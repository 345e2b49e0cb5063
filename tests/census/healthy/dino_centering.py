import copy
import torch
from torch import nn
import torch.nn.functional as F


class DINOLoss(nn.Module):
    def __init__(self, out_dim, teacher_temp=0.04, student_temp=0.1):
        super().__init__()
        self.teacher_temp, self.student_temp = teacher_temp, student_temp
        self.register_buffer("center", torch.zeros(1, out_dim))

    def forward(self, student_out, teacher_out):
        s = student_out / self.student_temp
        t = F.softmax((teacher_out - self.center) / self.teacher_temp, dim=-1).detach()
        self.update_center(teacher_out)
        return torch.sum(-t * F.log_softmax(s, dim=-1), dim=-1).mean()

    @torch.no_grad()
    def update_center(self, teacher_out):
        self.center.mul_(0.9).add_(teacher_out.mean(0, keepdim=True), alpha=0.1)


class Student(nn.Module):
    def __init__(self, d=12, out=20):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, d), nn.GELU(), nn.Linear(d, d))
        last = nn.utils.parametrizations.weight_norm(nn.Linear(d, out, bias=False))
        last.parametrizations.weight.original0.data.fill_(1)
        last.parametrizations.weight.original0.requires_grad = False
        self.last = last

    def forward(self, x):
        return self.last(F.normalize(self.body(x), dim=-1))


def gradflow_probe():
    torch.manual_seed(0)
    student = Student()
    teacher = copy.deepcopy(student)
    teacher.requires_grad_(False)
    views = torch.randn(2, 6, 8)
    loss = DINOLoss(20)(student(views[0]), teacher(views[1]))
    return nn.ModuleDict({"student": student, "teacher": teacher}), loss
