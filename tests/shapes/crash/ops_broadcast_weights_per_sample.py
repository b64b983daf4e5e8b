# torch 1.13: RuntimeError: The size of tensor a (16) must match the size of tensor b (10) at non-singleton dimension 0
import torch
import torch.nn.functional as F

logits = torch.randn(16, 10)
target = torch.randint(0, 10, (16,))
sample_weight = torch.ones(10)  # fixed: sample_weight = torch.ones(16)
losses = F.cross_entropy(logits, target, reduction="none")
loss = (losses * sample_weight).mean()  # expect: DP602
