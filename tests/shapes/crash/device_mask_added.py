# torch 1.13: RuntimeError: Expected all tensors to be on the same device, but found at least two devices, meta and cpu!
# needs a GPU
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scores = torch.randn(4, 4, device=device)
mask = torch.triu(torch.full((4, 4), float("-inf")), diagonal=1)  # fixed: mask = torch.triu(torch.full((4, 4), float("-inf")), diagonal=1).to(device)
scores = scores + mask  # expect: DP608
