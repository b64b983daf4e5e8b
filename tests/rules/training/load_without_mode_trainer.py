import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(32, 32)
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        return self.head(self.drop(F.relu(self.body(x))))


class Trainer:
    def __init__(self, model, train_loader, val_loader):
        self.model = model
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train_epoch(self):
        self.model.train()
        for x, y in self.train_loader:
            self.optimizer.zero_grad()
            F.cross_entropy(self.model(x), y).backward()
            self.optimizer.step()

    def score(self):
        correct = 0
        with torch.no_grad():
            for x, y in self.val_loader:
                correct += (self.model(x).argmax(dim=1) == y).sum()  # expect: DP813
        return correct

    def fit(self):
        for epoch in range(20):
            self.train_epoch()
            print(self.score())


class Careful(Trainer):
    def score(self):
        self.switch(False)
        correct = 0
        with torch.no_grad():
            for x, y in self.val_loader:
                correct += (self.model(x).argmax(dim=1) == y).sum()
        return correct

    def switch(self, training):
        self.model.train(training)


def main(train_data, val_data):
    Trainer(Net(), DataLoader(train_data, 32, shuffle=True), DataLoader(val_data, 32)).fit()  # hint: DP130
    Careful(Net(), DataLoader(train_data, 32, shuffle=True), DataLoader(val_data, 32)).fit()


if __name__ == "__main__":
    main(torch.load("train.pt", weights_only=False), torch.load("val.pt", weights_only=False))
