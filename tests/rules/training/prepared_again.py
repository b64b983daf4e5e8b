import torch
from accelerate import Accelerator
from torch import nn


def train(make_loader, epochs):
    accelerator = Accelerator()
    model = nn.Linear(8, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(epochs):
        loader = make_loader(epoch)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)  # expect: DP906
        for batch in loader:
            optimizer.zero_grad()
            accelerator.backward(model(batch).mean())
            optimizer.step()


def train_given(network, make_loader, epochs):
    accelerator = Accelerator()
    for epoch in range(epochs):
        network, loader = accelerator.prepare(network, make_loader(epoch))  # expect: DP906
        print(network, loader)


def folds(make_model, loaders):
    accelerator = Accelerator()
    for loader in loaders:
        model = make_model()
        optimizer = torch.optim.AdamW(model.parameters())
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for batch in loader:
            optimizer.zero_grad()
            accelerator.backward(model(batch).mean())
            optimizer.step()


def loaders_only(model, make_loader, epochs):
    accelerator = Accelerator()
    model = accelerator.prepare(model)
    for epoch in range(epochs):
        loader = accelerator.prepare(make_loader(epoch))
        print(loader)
