"""`gather()` in a function that an evaluation loop calls."""

import evaluate
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


class Evaluator:
    def __init__(self, accelerator: Accelerator, loader: DataLoader):
        self.accelerator = accelerator
        self.loader = loader
        self.accuracy = evaluate.load("accuracy")

    def _collect(self, model, batch):
        predictions = model(**batch).logits.argmax(dim=-1)
        return self.accelerator.gather((predictions, batch["labels"]))  # expect: DP837

    def _collect_once(self, model, batch):
        predictions = model(**batch).logits.argmax(dim=-1)
        return self.accelerator.gather_for_metrics((predictions, batch["labels"]))

    def _mean_loss(self, model, batch):
        loss = model(**batch).loss
        return self.accelerator.gather(loss).mean()

    @torch.no_grad()
    def run(self, model):
        model.eval()
        for batch in self.loader:
            predictions, labels = self._collect(model, batch)
            self.accuracy.add_batch(predictions=predictions, references=labels)
        return self.accuracy.compute()

    @torch.no_grad()
    def run_once(self, model):
        model.eval()
        for batch in self.loader:
            predictions, labels = self._collect_once(model, batch)
            self.accuracy.add_batch(predictions=predictions, references=labels)
        return self.accuracy.compute()

    @torch.no_grad()
    def losses(self, model):
        model.eval()
        values = []
        for batch in self.loader:
            values.append(self._mean_loss(model, batch))
        return values


def main(model, data):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, DataLoader(data, batch_size=32, num_workers=2))
    evaluator = Evaluator(accelerator, loader)
    print(evaluator.run(model), evaluator.run_once(model), evaluator.losses(model))
