# torch 1.13: RuntimeError: stack expects each tensor to be equal size, but got [3, 4] at entry 0 and [5, 4] at entry 1
import torch
seqs = [torch.zeros(n, 4) for n in (3, 5, 2)]  # fixed: seqs = [torch.zeros(n, 4) for n in (3, 3, 3)]
print(torch.stack(seqs).shape)  # expect: DP602
