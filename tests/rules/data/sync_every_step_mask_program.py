import torch
from torch import nn


def masked_mse(pred, target, valid):
    return ((pred[valid] - target[valid]) ** 2).mean()


class Depth(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Conv2d(3, 1, 3, padding=1)

    def forward(self, x):
        return self.net(x)


def fit(loader, epochs):
    net = Depth().cuda()
    opt = torch.optim.Adam(net.parameters())
    for _ in range(epochs):
        for image, depth in loader:
            image, depth = image.cuda(non_blocking=True), depth.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):  # hint: DP512
                loss = masked_mse(net(image), depth, depth > 0)  # expect: DP402
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()


def main(loader):
    fit(loader, 20)
