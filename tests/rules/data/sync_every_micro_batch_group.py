import torch
from torch.nn.parallel import DistributedDataParallel


class GroupTrainer:
    def __init__(self, model, device, lr):
        self.model = DistributedDataParallel(model.to(device), device_ids=[device.index])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)

    def micro(self, batch, scale):
        loss = self.model(**batch).loss * scale
        loss.backward()  # expect: DP440
        return loss.detach()

    def step(self, group):
        total = 0
        for batch in group:
            total = total + self.micro(batch, 1.0 / len(group))
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return total


class SteppingElsewhere:
    def __init__(self, model, device, lr):
        self.model = DistributedDataParallel(model.to(device), device_ids=[device.index])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)

    def update(self):
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def step(self, group):
        for batch in group:
            loss = self.model(**batch).loss / len(group)
            loss.backward()  # expect: DP440
        self.update()


class InOneGo:
    def __init__(self, model, device, lr):
        self.model = DistributedDataParallel(model.to(device), device_ids=[device.index])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)

    def micro(self, batch, scale):
        loss = self.model(**batch).loss * scale
        loss.backward()
        return loss.detach()

    def step(self, group):
        with self.model.no_sync():
            for batch in group[:-1]:
                self.micro(batch, 1.0 / len(group))
        self.micro(group[-1], 1.0 / len(group))
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)


class EachSteps:
    def __init__(self, model, device, lr):
        self.model = DistributedDataParallel(model.to(device), device_ids=[device.index])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)

    def micro(self, batch):
        loss = self.model(**batch).loss
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def epoch(self, loader):
        for batch in loader:
            self.micro(batch)
