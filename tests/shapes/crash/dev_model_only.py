# needs a GPU, not verified: torch does not notice the mix with the device "meta"
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
opt = torch.optim.Adam(model.parameters())
crit = nn.CrossEntropyLoss()
loader = DataLoader(TensorDataset(torch.randn(64, 10), torch.randint(0, 2, (64,))), batch_size=16)
for epoch in range(2):
    for x, y in loader:
        x = x.to(device)
        #+ y = y.to(device)
        loss = crit(model(x), y)  # expect: DP608
        opt.zero_grad()
        loss.backward()
        opt.step()
