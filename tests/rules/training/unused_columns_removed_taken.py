import torch
import torch.nn.functional as F
from torch import nn
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
settings = TrainingArguments(output_dir="out", bf16=True, dataloader_num_workers=4)


def load():
    return AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=3)


def pad(rows):
    batch = tokenizer.pad([{"input_ids": row["input_ids"]} for row in rows], return_tensors="pt")
    batch["labels"] = torch.tensor([row["label"] for row in rows])
    return batch


def taken_columns(data):
    Trainer(model=load(), args=settings, train_dataset=data, data_collator=pad).train()


class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.head = nn.Linear(size, 2)

    def forward(self, features, scale, labels=None):
        logits = self.head(features * scale)
        return {"loss": F.cross_entropy(logits, labels), "logits": logits}


def stack(rows):
    return {
        "features": torch.stack([row["features"] for row in rows]),
        "scale": torch.tensor([row["scale"] for row in rows]),
        "labels": torch.tensor([row["labels"] for row in rows]),
    }


def own_model(data):
    Trainer(model=Net(16), args=settings, train_dataset=data, data_collator=stack).train()


class Keeping(Trainer):
    def _remove_unused_columns(self, dataset, description=None):
        return dataset


def weigh(rows):
    batch = pad(rows)
    batch["weight"] = torch.tensor([row["weight"] for row in rows])
    return batch


def kept(data):
    Keeping(model=load(), args=settings, train_dataset=data, data_collator=weigh).train()


class Distance(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        distance = inputs.pop("distance")
        outputs = model(**inputs)
        loss = outputs.loss + distance.mean()
        return (loss, outputs) if return_outputs else loss


def with_distance(rows):
    batch = pad(rows)
    batch["distance"] = torch.tensor([float(len(row["input_ids"])) for row in rows])
    return batch


def made_by_collator(data):
    Distance(model=load(), args=settings, train_dataset=data, data_collator=with_distance).train()


def arguments_unknown(data, given, collator):
    Distance(model=load(), args=given, train_dataset=data, data_collator=collator).train()
