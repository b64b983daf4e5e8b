import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def evaluate(model, dataset, metric):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, DataLoader(dataset, batch_size=8, num_workers=2))
    for batch in loader:
        with torch.no_grad():
            predictions = model(batch["x"]).argmax(dim=-1)
        predictions, labels = accelerator.gather_for_metrics((predictions, batch["y"]))  # expect: DP837
        metric.add_batch(predictions=predictions, references=labels)
    return metric.compute()


class Evaluator:
    def __init__(self, model):
        self.accelerator = Accelerator()
        self.model = model

    @torch.no_grad()
    def collect(self, loader):
        accelerator = self.accelerator
        rows = []
        loader = accelerator.prepare(loader)
        for batch in loader:
            rows.append(accelerator.gather_for_metrics(self.model(batch)).cpu())  # expect: DP837
        return torch.cat(rows)


def for_metrics(model, dataset, metric):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, DataLoader(dataset, num_workers=2))
    for batch in loader:
        with torch.no_grad():
            predictions = model(batch["x"])
        metric.add_batch(predictions=accelerator.gather_for_metrics(predictions), references=batch["y"])


def cut(model, dataset, metric):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, DataLoader(dataset, num_workers=2))
    rows = []
    for batch in loader:
        with torch.no_grad():
            rows.append(accelerator.gather(model(batch["x"])))
    return torch.cat(rows)[: len(dataset)]


def losses(model, loader):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, loader)
    kept = []
    for batch in loader:
        with torch.no_grad():
            loss = model(batch).mean()
        kept.append(accelerator.gather(loss))
    return torch.cat(kept)


def counted(model, loader, check):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, loader)
    kept = []
    for batch in loader:
        right = torch.tensor([check(batch)])
        kept.append(accelerator.gather(right))
    return kept
