import torch
from torch import nn

device = torch.device("cuda")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)


model = Net().double().to(device)  # hint: DP517
other = nn.Linear(3, 3).to(device)
x = torch.zeros(3, device=device).double()


def table(size):
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    exact = torch.linspace(0, 1, size).exp()
    torch.set_default_dtype(before)
    return exact.to(before).to(device)


def everything():
    torch.set_default_dtype(torch.float64)  # hint: DP517
    return Net().to(device)


if torch.get_num_threads() > 4:
    torch.set_default_dtype(torch.float64)  # hint: DP517
if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)  # hint: DP517
