import torch
from torch import nn
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = AutoModel.from_pretrained("bert-base-uncased")
        self.out = nn.Linear(768, 2)

    def forward(self, ids):
        return self.out(self.encoder(ids).last_hidden_state[:, 0])


def collate(rows):
    batch = tokenizer.pad({"input_ids": [row[0] for row in rows]}, return_tensors="pt")  # expect: DP901
    return batch["input_ids"], torch.tensor([row[1] for row in rows])


def collate_texts(rows):
    ids = tokenizer([row["text"] for row in rows], padding=True, return_tensors="pt")["input_ids"]  # expect: DP901
    return ids, torch.tensor([row["label"] for row in rows])


def collate_all(rows):
    batch = tokenizer.pad({"input_ids": [row[0] for row in rows]}, return_tensors="pt")
    return batch, torch.tensor([row[1] for row in rows])


def labels(rows):
    targets = tokenizer([row["text"] for row in rows], padding=True, return_tensors="pt")["input_ids"]
    return targets
