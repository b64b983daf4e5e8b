import gc
import torch
from torch import nn


def cleanup():
    gc.collect()
    torch.cuda.empty_cache()  # expect: DP134


def train(net, loader):
    net = net.cuda()
    opt = torch.optim.Adam(net.parameters())
    for x, y in loader:
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        cleanup()


def main(loader):
    for _ in range(10):
        train(nn.Linear(3, 3), loader)
