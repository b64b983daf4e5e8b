import evaluate
import torch
from accelerate import Accelerator


def main(model, loader):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, loader)
    metric = evaluate.load("accuracy")
    model.eval()
    with torch.no_grad():
        for batch in loader:
            predictions = model(**batch).logits.argmax(dim=-1)
            predictions, labels = accelerator.gather_for_metrics((predictions, batch["labels"]))
            metric.add_batch(predictions=predictions, references=labels)
    return metric.compute()
