import torch
from torch import nn

device = torch.device("cuda")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)


model = Net().double().to(device)  # expect: DP517
other = nn.Linear(3, 3).to(device)
x = torch.zeros(3, device=device).double()
