import torch
import torch.nn as nn
import torch.nn.functional as F


def probabilities(student, teacher):
    return F.kl_div(F.softmax(student, 1), F.softmax(teacher, 1), reduction="batchmean")  # expect: DP908


def by_name(student, teacher, t):
    p = (student / t).softmax(dim=-1)
    q = torch.softmax(teacher / t, dim=-1)
    return nn.KLDivLoss(reduction="batchmean")(p, q)  # expect: DP908


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.kl = nn.KLDivLoss(reduction="batchmean")
        self.out = nn.Linear(8, 4)

    def forward(self, x, target):
        return self.kl(self.out(x), target)  # expect: DP908


def log_target(student, teacher):
    return F.kl_div(F.log_softmax(student, 1), F.log_softmax(teacher, 1), reduction="batchmean")  # expect: DP908


def averaged(student, teacher):
    return F.kl_div(F.log_softmax(student, 1), F.softmax(teacher, 1))  # expect: DP908


# ---- Silent


def right(student, teacher):
    a = F.kl_div(F.log_softmax(student, 1), F.softmax(teacher, 1), reduction="batchmean")
    b = F.kl_div(F.log_softmax(student, 1), F.log_softmax(teacher, 1), reduction="sum", log_target=True)
    c = F.kl_div(student, teacher, reduction="none")
    return a + b + c.sum(-1).mean()


def passed_on(student, teacher, reduction):
    return F.kl_div(student.log_softmax(-1), teacher.softmax(-1), reduction=reduction)
