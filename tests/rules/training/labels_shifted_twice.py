import torch
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModelForCausalLM, T5ForConditionalGeneration


class Blocks(Dataset):
    def __init__(self, ids, block):
        self.ids = ids
        self.block = block

    def __len__(self):
        return len(self.ids) // self.block

    def __getitem__(self, index):
        start = index * self.block
        x = self.ids[start : start + self.block]
        y = self.ids[start + 1 : start + self.block + 1]
        return x, y


class SameBlocks(Dataset):
    def __init__(self, ids):
        self.ids = ids

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        x = self.ids[index]
        return x, x.clone()


class Rows(Dataset):
    def __init__(self, ids):
        self.ids = ids

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        row = self.ids[index]
        return {"input_ids": row[:-1], "labels": row[1:]}  # hint: DP842


def direct(ids):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    return model(ids[:, :-1], labels=ids[:, 1:]).loss  # expect: DP842


def named(ids):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    x = ids[:, :-1].contiguous()
    y = ids[:, 1:].contiguous()
    return model(input_ids=x.to("cuda"), labels=y.to("cuda")).loss  # expect: DP842


def train(ids, optimizer):
    model = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
    loader = DataLoader(Blocks(ids, 128), batch_size=8, shuffle=True, num_workers=2, pin_memory=True)
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = model(input_ids=x.cuda(non_blocking=True), labels=y.cuda(non_blocking=True)).loss  # expect: DP842
        loss.backward()
        optimizer.step()


def train_same(ids, optimizer):
    model = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
    loader = DataLoader(SameBlocks(ids), batch_size=8, shuffle=True, num_workers=2, pin_memory=True)
    for x, y in loader:
        optimizer.zero_grad()
        loss = model(input_ids=x.cuda(non_blocking=True), labels=y.cuda(non_blocking=True)).loss
        loss.backward()
        optimizer.step()


def same(ids):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    return model(input_ids=ids, labels=ids).loss


def other_model(ids):
    model = T5ForConditionalGeneration.from_pretrained("t5-small")
    return model(input_ids=ids[:, :-1], labels=ids[:, 1:]).loss


def by_hand(ids):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    logits = model(ids[:, :-1]).logits
    return logits.sum() + ids[:, 1:].sum()
