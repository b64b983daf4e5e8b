import torch
from torch import nn


class Trainer:
    def __init__(self, model, loader, accumulate=8):
        self.model = model.cuda()
        self.loader = loader
        self.accumulate = accumulate
        self.opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
        self.crit = nn.CrossEntropyLoss()

    def loss(self, batch):
        x, y = (t.cuda(non_blocking=True) for t in batch)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return self.crit(self.model(x), y)

    def _maybe_step(self, i):
        if (i + 1) % self.accumulate == 0:
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.opt.step()
            self.opt.zero_grad(set_to_none=True)

    def run(self, epochs):
        self.model.train()
        for epoch in range(epochs):
            for i, batch in enumerate(self.loader):
                loss = self.loss(batch)
                (loss / self.accumulate).backward()
                self._maybe_step(i)


def main(loader):
    net = nn.Sequential(nn.Flatten(), nn.Linear(3072, 1024), nn.ReLU(), nn.Linear(1024, 100))
    Trainer(net, loader).run(10)
