import torch
from torch import nn


def contrastive(z, labels, margin=1.0):
    loss = z.new_zeros(())
    n = z.size(0)
    for i in range(n):  # expect: DP162
        for j in range(n):
            if i == j:
                continue
            d = (z[i] - z[j]).pow(2).sum().sqrt()  # hint: DP703
            same = (labels[i] == labels[j]).float()
            loss = loss + same * d + (1 - same) * torch.relu(margin - d)
    return loss / (n * (n - 1))


def main(loader):
    net = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 32)).cuda()
    opt = torch.optim.Adam(net.parameters())
    for epoch in range(20):
        for x, y in loader:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = contrastive(net(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
