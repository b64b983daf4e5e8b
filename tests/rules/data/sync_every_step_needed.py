# Values that only the host can use: where they are read cannot be moved to later steps.
import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn


class Memory:
    def __init__(self, size):
        self.weights = np.zeros(size)

    def change(self, places, values):
        for place, value in zip(places, values):
            self.weights[place] = self.weights.max() + value


def replay(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    memory = Memory(1000)
    for x, places in loader:
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        rows = places.cuda().cpu().numpy()  # hint: DP402
        memory.change(rows, np.ones(len(rows)))


class Exchange(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, sent, received):
        out = x.new_empty(sum(received), x.shape[1])
        dist.all_to_all_single(out, x, received, sent)
        return out


def exchange(x, sent, received):
    return Exchange.apply(x, sent, received)


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        counts = self.gate(x).argmax(dim=1).bincount(minlength=4)
        received = torch.zeros_like(counts)
        dist.all_to_all_single(received, counts)
        sent = counts.tolist()  # hint: DP402
        return exchange(x.cuda(), sent, received.tolist())


class Pieces(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        lengths = (x.cuda() > 0).sum(dim=1).cpu().numpy()  # hint: DP140, DP402
        start = 0
        out = torch.zeros(8, device="cuda")
        for number in lengths:
            end = start + number
            out = out + self.layer(x[start:end]).sum(dim=0)
            start = end
        return out


class Guarded:
    def __init__(self, optimizer: torch.optim.Optimizer, model: nn.Module):
        self.optimizer = optimizer
        self.model = model
        self.found = torch.zeros(1, device="cuda")

    def has_overflow(self):
        return self.found.item() > 0

    def run(self, loader):
        for x in loader:
            self.model(x.cuda()).sum().backward()
            overflow = self.has_overflow()  # hint: DP402
            if not overflow:
                self.optimizer.step()
            self.optimizer.zero_grad()


# A position that the program itself counts: Python can count it.
class Queue(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.register_buffer("rows", torch.zeros(64, 8))
        self.place: torch.Tensor
        self.register_buffer("place", torch.zeros(1, dtype=torch.long))

    def put(self, rows):
        place = int(self.place)
        self.rows[place:place + 8] = rows
        self.place[0] = (place + 8) % 64


def queued(loader, optimizer: torch.optim.Optimizer):
    queue = Queue().cuda()
    for x in loader:
        out = queue.layer(x.cuda())
        out.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        queue.put(out.detach())  # expect: DP402
