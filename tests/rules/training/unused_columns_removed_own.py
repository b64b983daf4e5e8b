from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from transformers import (
    AutoModelForSequenceClassification,
    DataCollatorWithPadding,
    PreTrainedTokenizerBase,
    Trainer,
    TrainingArguments,
)

settings = TrainingArguments(output_dir="out", bf16=True, dataloader_num_workers=4)


def load():
    return AutoModelForSequenceClassification.from_pretrained("microsoft/deberta-v3-base", num_labels=3)


@dataclass
class Weighted:
    tokenizer: PreTrainedTokenizerBase

    def __call__(self, rows):
        weights = [row.pop("weight", 1.0) for row in rows]  # expect: DP843
        batch = self.tokenizer.pad(rows, return_tensors="pt", pad_to_multiple_of=8)
        batch["weight"] = torch.tensor(weights)
        return batch


class WeightedTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        weight = inputs.pop("weight")
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = (F.cross_entropy(outputs.logits.float(), labels, reduction="none") * weight).mean()
        return (loss, outputs) if return_outputs else loss


def by_collator(tokenizer, data):
    trainer = WeightedTrainer(
        model=load(), args=settings, train_dataset=data, data_collator=Weighted(tokenizer), processing_class=tokenizer
    )
    trainer.train()


class GroupTrainer(Trainer):
    def __init__(self, *args, penalty=0.1, **kwargs):
        super().__init__(*args, **kwargs)
        self.penalty = penalty

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        groups = inputs.pop("group")  # expect: DP843
        outputs = model(**inputs)
        loss = outputs.loss + self.penalty * groups.float().mean()
        return (loss, outputs) if return_outputs else loss


def by_loss(tokenizer, data):
    collator = DataCollatorWithPadding(tokenizer)
    GroupTrainer(model=load(), args=settings, train_dataset=data, data_collator=collator).train()


class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.head = nn.Linear(size, 2)

    def forward(self, features, labels=None):
        logits = self.head(features)
        return {"loss": F.cross_entropy(logits, labels), "logits": logits}


def stack(rows):
    features = torch.stack([row["features"] for row in rows])
    for row in rows:
        features = features * row["scale"]  # expect: DP843
    return {"features": features, "labels": torch.tensor([row["labels"] for row in rows])}


def own_model(data):
    Trainer(model=Net(16), args=settings, train_dataset=data, data_collator=stack).train()
