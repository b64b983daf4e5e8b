import torch
import torch.nn.functional as F

MEAN = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)


class Wrapper:
    def __init__(self, net, counts, device):
        self.net, self.counts, self.device = net.to(device), counts, device
        self.mean = MEAN.to(device)

    def loss(self, x, y):
        w = torch.tensor([1.0 / n for n in self.counts]).to(self.device)  # expect: DP413
        v = torch.tensor([1.0 / n for n in y]).to(self.device)
        return F.cross_entropy(self.net(x), y, weight=w) + v.sum()

    def fit(self, loader, optimizer):
        for x, y in loader:
            x = (x.to(self.device, non_blocking=True) - MEAN.to(self.device)) / 255  # expect: DP413
            x = x - self.mean
            optimizer.zero_grad()
            self.loss(x, y).backward()
            optimizer.step()
