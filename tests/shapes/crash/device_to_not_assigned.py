# needs a GPU, not verified: torch does not notice the mix with the device "meta"
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 3).to(device)
batch = torch.randn(2, 3)
batch.to(device)  # fixed: batch = batch.to(device)
out = model(batch)  # expect: DP608
