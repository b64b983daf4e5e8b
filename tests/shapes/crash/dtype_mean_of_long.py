# torch 1.13: RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long
import torch

ages = torch.tensor([31, 42, 27])
print(ages.mean())  # expect: DP607  # fixed: print(ages.float().mean())
