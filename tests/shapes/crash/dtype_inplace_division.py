# torch 1.13: RuntimeError: result type Float can't be cast to the desired output type Long
import torch

counts = torch.arange(1, 5)
counts /= counts.sum()  # expect: DP607  # fixed: counts = counts / counts.sum()
