import evaluate
import torch
from accelerate import Accelerator
from torchmetrics.classification import MulticlassAccuracy


class Evaluator:
    def __init__(self, accelerator):
        self.metric = MulticlassAccuracy(3, average="micro", sync_on_compute=False).to(accelerator.device)
        self.synced = MulticlassAccuracy(3, average="micro").to(accelerator.device)

    @torch.inference_mode()
    def __call__(self, model, loader):
        model.eval()
        for batch in loader:
            predictions = model(**batch).logits.argmax(dim=-1)
            self.metric.update(predictions, batch["labels"])  # expect: DP985
            self.synced.update(predictions, batch["labels"])
        return self.metric.compute()


class Own:
    def __init__(self, model, loader):
        self.accelerator = Accelerator()
        self.model, self.loader = self.accelerator.prepare(model, loader)

    def score(self):
        metric = evaluate.load("accuracy")
        self.model.eval()
        with torch.no_grad():
            for batch in self.loader:
                predictions = self.model(**batch).logits.argmax(dim=-1)
                metric.add_batch(predictions=predictions, references=batch["labels"])  # expect: DP985
        return metric.compute()


def whole_set_on_each(model, loader):
    metric = evaluate.load("accuracy")
    model.eval()
    with torch.no_grad():
        for batch in loader:
            metric.add_batch(predictions=model(**batch).logits.argmax(dim=-1), references=batch["labels"])
    return metric.compute()


def main(model, loader, rest, processes, rank):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, loader)
    metric = evaluate.load("accuracy")
    several = evaluate.load("accuracy", num_process=processes, process_id=rank)
    model.eval()
    with torch.no_grad():
        for batch in loader:
            predictions = model(**batch).logits.argmax(dim=-1)
            metric.add_batch(predictions=predictions, references=batch["labels"])  # expect: DP985
            several.add_batch(predictions=predictions, references=batch["labels"])
    return metric.compute(), Evaluator(accelerator)(model, loader), whole_set_on_each(model, rest)
