# torch 1.13: RuntimeError: The size of tensor a (100) must match the size of tensor b (10) at non-singleton dimension 1
import torch
import torch.nn as nn
import torch.nn.functional as F

student = nn.Linear(32, 10)
teacher = nn.Linear(32, 100)  # fixed: teacher = nn.Linear(32, 10)
x = torch.randn(4, 32)
T = 2.0
loss = F.kl_div(F.log_softmax(student(x) / T, dim=1), F.softmax(teacher(x) / T, dim=1), reduction="batchmean")  # expect: DP605
