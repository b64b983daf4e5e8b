import torch

scales = torch.rand(5, 4)
raw = torch.empty(5, 36, dtype=torch.uint8)
raw[:, :16] = scales.view(torch.uint8)
raw[:, 16:24] = scales.to(torch.bfloat16).view(torch.uint8)
raw[:, 24:28] = scales.to(torch.uint8)
raw[:, 28:] = torch.rand(5, 1, dtype=torch.float64).view(torch.uint8)
assert raw[:, :16].contiguous().view(torch.float32).shape == (5, 4)
