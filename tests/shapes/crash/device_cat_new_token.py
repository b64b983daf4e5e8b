# needs a GPU, not verified: torch does not notice the mix with the device "meta"
import torch

device = "cuda"
tokens = torch.zeros(1, 4, dtype=torch.long, device=device)
start = torch.ones(1, 1, dtype=torch.long)  # fixed: start = torch.ones(1, 1, dtype=torch.long, device=device)
tokens = torch.cat([start, tokens], dim=1)  # expect: DP608
