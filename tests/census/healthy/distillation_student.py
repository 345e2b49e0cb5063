import torch
from torch import nn
import torch.nn.functional as F


def teacher_net():
    return nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))


def student_net():
    return nn.Sequential(nn.Linear(16, 12), nn.ReLU(), nn.Linear(12, 4))


def kd_loss(student_logits, teacher_logits, labels, T=4.0, alpha=0.7):
    soft = F.kl_div(F.log_softmax(student_logits / T, dim=1), F.softmax(teacher_logits / T, dim=1), reduction="batchmean") * T * T
    return alpha * soft + (1 - alpha) * F.cross_entropy(student_logits, labels)


def gradflow_probe():
    torch.manual_seed(0)
    teacher, student = teacher_net().eval(), student_net()
    x, y = torch.randn(32, 16), torch.randint(0, 4, (32,))
    with torch.inference_mode():
        t_logits = teacher(x)
    s_logits = student(x)
    agreement = (t_logits.argmax(1) == s_logits.argmax(1)).float().mean()
    loss = kd_loss(s_logits, t_logits.clone(), y)
    return student, loss
