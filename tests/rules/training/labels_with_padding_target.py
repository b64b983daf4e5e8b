"""Labels from `text_target=`, padded to the longest of their batch."""

from torch.utils.data import DataLoader
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("t5-small")
model = AutoModelForSeq2SeqLM.from_pretrained("t5-small")


def collate(rows):
    bodies, titles = zip(*rows)
    batch = tokenizer(list(bodies), padding=True, truncation=True, max_length=512, return_tensors="pt")  # hint: DP149
    target = tokenizer(text_target=list(titles), padding=True, truncation=True, max_length=64, return_tensors="pt")
    batch["labels"] = target["input_ids"]  # expect: DP841
    return batch


def collate_collected(rows):
    batch = tokenizer([row[0] for row in rows], padding=True, truncation=True, max_length=512, return_tensors="pt")
    target = tokenizer(text_target=[row[1] for row in rows], padding=True, truncation=True, max_length=64, return_tensors="pt")
    batch["labels"] = target.input_ids  # expect: DP841
    return batch


def encode_one(row):
    batch = tokenizer(row[0], truncation=True, max_length=512)
    batch["labels"] = tokenizer(text_target=row[1], truncation=True, max_length=64)["input_ids"]
    return batch


def encode_single(row):
    batch = tokenizer(row[0], truncation=True, max_length=512)
    target = tokenizer(text_target=f"title: {row[1]}", padding=True, truncation=True, max_length=64)
    batch["labels"] = target["input_ids"]
    return batch


def loader(rows):
    return DataLoader(rows, batch_size=16, collate_fn=collate, num_workers=2, pin_memory=True)
