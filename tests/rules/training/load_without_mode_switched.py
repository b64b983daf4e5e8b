import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForTokenClassification


class Task:
    def __init__(self, name, train, dev):
        self.model = AutoModelForTokenClassification.from_pretrained(name, num_labels=9)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-5)
        self.train_loader = DataLoader(train, batch_size=32, shuffle=True, num_workers=4, pin_memory=True, persistent_workers=True)
        self.dev_loader = DataLoader(dev, batch_size=64, num_workers=4, pin_memory=True, persistent_workers=True)

    def train_epoch(self):
        self.model.train()
        for batch in self.train_loader:
            loss = self.model(**batch).loss
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def evaluate(self):
        hits = 0
        for batch in self.dev_loader:
            hits += (self.model(**batch).logits.argmax(-1) == batch["labels"]).sum()  # expect: DP813
        return hits

    def run(self, epochs):
        for _ in range(epochs):
            self.train_epoch()
            print(self.evaluate())


class NeverTrained:
    def __init__(self, name, dev):
        self.model = AutoModelForTokenClassification.from_pretrained(name, num_labels=9)
        self.dev_loader = DataLoader(dev, batch_size=64, num_workers=4, pin_memory=True, persistent_workers=True)

    @torch.no_grad()
    def evaluate(self):
        hits = 0
        for batch in self.dev_loader:
            hits += (self.model(**batch).logits.argmax(-1) == batch["labels"]).sum()
        return hits
