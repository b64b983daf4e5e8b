# The other tensor is in the host's memory as well, so nothing is copied.
import torch
from torch.utils.data import DataLoader


def predict(model: torch.nn.Module, dataset, device):
    loader = DataLoader(dataset, batch_size=32, num_workers=4)  # hint: DP132
    results = []
    with torch.no_grad():
        for x, y in loader:
            y = y.float()
            padding = torch.zeros(y.shape[0], 8).to(y.device)
            results.append(model(x.to(device), torch.cat([y, padding], dim=1).to(device)))
    return results


def on_device(model: torch.nn.Module, dataset, device):
    loader = DataLoader(dataset, batch_size=32, num_workers=4)  # hint: DP132
    results = []
    with torch.no_grad():
        for x, y in loader:
            y = y.float().to(device)
            padding = torch.zeros(y.shape[0], 8).to(y.device)  # expect: DP401
            results.append(model(x.to(device), torch.cat([y, padding], dim=1)))
    return results


class Damped(torch.nn.Module):
    def __init__(self, length):
        super().__init__()
        self.length = length
        self.factor = torch.nn.Parameter(torch.randn(1, 4))

    def forward(self, x):
        powers = torch.arange(self.length).to(self.factor.device)  # expect: DP401
        return x * self.factor ** powers.view(-1, 1)
