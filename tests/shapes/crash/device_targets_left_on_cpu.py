# needs a GPU, not verified: torch does not notice the mix with the device "meta"
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"
loader = DataLoader(TensorDataset(torch.randn(64, 6), torch.randint(0, 3, (64,))), batch_size=16)
model = nn.Linear(6, 3).to(device)
criterion = nn.CrossEntropyLoss()
for x, y in loader:
    x = x.to(device)
    #+ y = y.to(device)
    loss = criterion(model(x), y)  # expect: DP608
    loss.backward()
