# torch 1.13: RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long
import torch

votes = torch.randint(0, 5, (20, 3))
avg = votes.mean(dim=0)  # expect: DP607  # fixed: avg = votes.float().mean(dim=0)
best = avg.argmax()
print(best)
