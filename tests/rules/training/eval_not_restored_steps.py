# Evaluation every so many steps of an epoch; the next epoch calls train() again, which is too late.
import torch
from torch import nn
from transformers import AutoModelForMaskedLM


def evaluate(model, loader):
    model.eval()  # expect: DP806
    total = torch.zeros(())
    with torch.no_grad():
        for batch in loader:
            total += model(batch)
    return total


def evaluate_and_restore(net, loader):
    net.eval()
    total = torch.zeros(())
    with torch.no_grad():
        for batch in loader:
            total += net(batch)
    net.train()
    return total


def train(loader, held_out, epochs, every):
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    results = []
    for _ in range(epochs):
        model.train()
        for step, batch in enumerate(loader):
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            if (step + 1) % every == 0:
                results.append(evaluate(model, held_out))
    return results


def train_well(loader, held_out, epochs, every):
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    results = []
    for _ in range(epochs):
        net.train()
        for step, batch in enumerate(loader):
            loss = net(batch).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            if (step + 1) % every == 0:
                results.append(evaluate_and_restore(net, held_out))
            if step == len(loader) - 1:  # the next epoch begins
                net.eval()
    return results


class Adapter:
    def __init__(self, name, loader, held_out):
        self.model = AutoModelForMaskedLM.from_pretrained(name)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.loader, self.held_out = loader, held_out

    @torch.no_grad()
    def score(self):
        self.model.eval()  # expect: DP806
        return sum(self.model(**batch).loss for batch in self.held_out).item()

    def run(self, every):
        self.model.train()
        for step, batch in enumerate(self.loader):
            loss = self.model(**batch).loss
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            if step % every == 0:
                print(step, self.score())
