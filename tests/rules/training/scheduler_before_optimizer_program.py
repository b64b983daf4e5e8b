import torch
from torch import nn


class Loop:
    def __init__(self, net, loader, total):
        self.net, self.loader = net, loader
        self.optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(self.optimizer, max_lr=1e-2, total_steps=total)

    def update(self, loss):
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.scheduler.step()  # expect: DP807
        self.optimizer.step()

    def run(self, epochs):
        for _ in range(epochs):
            for x, y in self.loader:
                with torch.autocast("cuda", dtype=torch.bfloat16):
                    loss = nn.functional.cross_entropy(self.net(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
                self.update(loss)


def main(loader):
    Loop(nn.Linear(20, 3).cuda(), loader, 5 * len(loader)).run(5)
