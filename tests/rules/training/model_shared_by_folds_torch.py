import copy

import numpy as np
import torch
from sklearn.model_selection import GroupShuffleSplit, KFold, StratifiedKFold
from torch import nn
from torch.utils.data import DataLoader, Subset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(x)


def train(model, loader, criterion, optimizer):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()


def fit(model, loader, epochs=3):
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        train(model, loader, nn.functional.mse_loss, optimizer)


def shared(dataset):
    model = Net()
    optimizer = torch.optim.Adam(model.parameters())
    for fold, (rows, _) in enumerate(KFold(5).split(np.arange(len(dataset)))):
        loader = DataLoader(Subset(dataset, rows), batch_size=32, shuffle=True, num_workers=2)
        train(model, loader, nn.functional.mse_loss, optimizer)  # expect: DP955
        print(fold)


def new_optimizer_only(dataset):
    net = Net()
    folds = list(StratifiedKFold(n_splits=5).split(dataset.x, dataset.y))
    for rows, _ in folds:
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # expect: DP955
        loader = DataLoader(Subset(dataset, rows), batch_size=32, shuffle=True, num_workers=2)
        train(net, loader, nn.functional.mse_loss, optimizer)


def through_a_function(dataset):
    model = Net()
    for rows, _ in KFold(5).split(dataset.x):
        fit(model, DataLoader(Subset(dataset, rows), batch_size=32, shuffle=True, num_workers=2))  # expect: DP955


def in_each_fold(dataset):
    for rows, _ in KFold(5).split(dataset.x):
        model = Net()
        optimizer = torch.optim.Adam(model.parameters())
        train(model, DataLoader(Subset(dataset, rows), shuffle=True, num_workers=2, batch_size=8), nn.functional.mse_loss, optimizer)


def copied(dataset):
    first = Net()
    for rows, _ in KFold(5).split(dataset.x):
        model = copy.deepcopy(first)
        fit(model, DataLoader(Subset(dataset, rows), batch_size=32, shuffle=True, num_workers=2))


def restored(dataset):
    model = Net()
    start = copy.deepcopy(model.state_dict())
    for rows, _ in KFold(5).split(dataset.x):
        model.load_state_dict(start)
        fit(model, DataLoader(Subset(dataset, rows), batch_size=32, shuffle=True, num_workers=2))


def fit_head(backbone, head, loader):
    optimizer = torch.optim.Adam(head.parameters())
    for x, y in loader:  # expect: DP147
        optimizer.zero_grad()
        with torch.no_grad():
            features = backbone(x)
        nn.functional.mse_loss(head(features), y).backward()
        optimizer.step()


def fixed_backbone(dataset):
    backbone = Net()
    for rows, _ in KFold(5).split(dataset.x):
        head = nn.Linear(1, 1)
        fit_head(backbone, head, DataLoader(Subset(dataset, rows), batch_size=32, shuffle=True, num_workers=2))


def one_split(dataset):
    model = Net()
    for rows, _ in GroupShuffleSplit(n_splits=1).split(dataset.x):
        fit(model, DataLoader(Subset(dataset, rows), batch_size=32, shuffle=True, num_workers=2))


def only_tested(dataset):
    model = Net()
    model.eval()
    with torch.no_grad():
        for _, rows in KFold(5).split(dataset.x):
            for x, _ in DataLoader(Subset(dataset, rows), batch_size=32, num_workers=2):
                print(model(x))
