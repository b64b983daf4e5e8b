import torch
from torch import nn


def contrastive(z, labels, margin=1.0):
    d = torch.cdist(z, z)
    same = (labels[:, None] == labels[None]).float()
    pair = same * d + (1 - same) * torch.relu(margin - d)
    pair.fill_diagonal_(0)
    n = z.size(0)
    return pair.sum() / (n * (n - 1))


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
