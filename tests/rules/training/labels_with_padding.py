from torch.utils.data import Dataset
from transformers import AutoTokenizer, T5ForConditionalGeneration

tokenizer = AutoTokenizer.from_pretrained("t5-small")
model = T5ForConditionalGeneration.from_pretrained("t5-small")


def collate(rows):
    batch = tokenizer([row["source"] for row in rows], padding=True, return_tensors="pt")
    target = tokenizer([row["target"] for row in rows], padding=True, return_tensors="pt")
    batch["labels"] = target["input_ids"]  # expect: DP841
    return batch


class Pairs(Dataset):
    def __init__(self, rows, tokenizer):
        self.rows = rows
        self.tokenizer = tokenizer

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        source, target = self.rows[index]
        source = self.tokenizer(source, truncation=True, return_tensors="pt")  # expect: DP149
        target = self.tokenizer(target, max_length=64, padding="max_length", return_tensors="pt")  # expect: DP149 # hint: DP199
        return {"input_ids": source.input_ids.squeeze(), "labels": target.input_ids.squeeze()}  # expect: DP841


def encode(examples):
    inputs = tokenizer(examples["source"], truncation=True)
    with tokenizer.as_target_tokenizer():
        labels = tokenizer(examples["target"], max_length=64, padding="max_length", truncation=True)
    inputs["labels"] = labels["input_ids"]  # expect: DP841
    return inputs


def step(sources, targets):
    enc = tokenizer(sources[:8], padding=True, return_tensors="pt")
    target = tokenizer(targets[:8], padding=True, return_tensors="pt").input_ids
    return model(input_ids=enc.input_ids, attention_mask=enc.attention_mask, labels=target).loss  # expect: DP841


def perhaps_one(source, target):
    enc = tokenizer(source, padding=True, return_tensors="pt")
    target = tokenizer(target, padding=True, return_tensors="pt")
    return model(**enc, labels=target["input_ids"]).loss  # hint: DP841


def without_padding(source, target):
    enc = tokenizer(source, return_tensors="pt")
    target = tokenizer(target, return_tensors="pt")
    return model(**enc, labels=target["input_ids"]).loss


def other_labels(rows):
    batch = tokenizer([row["text"] for row in rows], padding=True, return_tensors="pt")
    batch["labels"] = [row["label"] for row in rows]
    return batch


Pairs(open("pairs.tsv").readlines(), tokenizer)
