import torch
from torch import nn


def forward_loss(net, batch, crit, enabled=True):
    with torch.autocast(device_type="cuda", dtype=torch.float16, enabled=enabled):  # expect: DP501
        return crit(net(batch[0].cuda(non_blocking=True)), batch[1].cuda(non_blocking=True))


def optimise(loss, opt, scaler=None):
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()


def main(loader):
    net = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32 * 26 * 26, 10)).cuda()
    crit = nn.CrossEntropyLoss()
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(12):
        for batch in loader:
            loss = forward_loss(net, batch, crit)
            optimise(loss, opt)
