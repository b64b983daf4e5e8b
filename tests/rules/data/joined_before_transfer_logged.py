# A generator of the project around the loader, which other code gives something else.
import torch
from torch.utils.data import DataLoader


class Progress:
    def log_every(self, iterable, every):
        for i, item in enumerate(iterable):
            yield item
            if i % every == 0:
                print(i, len(iterable))


def train(model, dataset, optimizer):
    progress = Progress()
    loader = DataLoader(dataset, batch_size=8, num_workers=2, pin_memory=True, persistent_workers=True)
    for first, second, y in progress.log_every(loader, 50):
        x = torch.cat([first, second], dim=0)  # expect: DP456
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def match(scores: torch.Tensor):
    progress = Progress()
    found = []
    for row in progress.log_every(scores, 50):
        found.append(row.topk(5))
    return found


def joined_on_device(model, dataset, optimizer):
    progress = Progress()
    loader = DataLoader(dataset, batch_size=8, num_workers=2, pin_memory=True, persistent_workers=True)
    for first, second, y in progress.log_every(loader, 50):
        x = torch.cat([first.cuda(non_blocking=True), second.cuda(non_blocking=True)], dim=0)
        loss = ((model(x) - y.cuda(non_blocking=True)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
