import torch
import torch.nn as nn
import torchvision


def fires(model, loader, criterion):
    for x, y in loader:
        optimizer = torch.optim.Adam(model.parameters())  # expect: DP814
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()


def fires_on_new_layer():
    model = torchvision.models.resnet18()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.fc = nn.Linear(512, 10)  # expect: DP814
    return model, optimizer


def made_once(model, loader, criterion):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()


def new_model_each_time(loader, criterion, make):
    for x, y in loader:
        model = make()
        optimizer = torch.optim.Adam(model.parameters())
        criterion(model(x), y).backward()
        optimizer.step()


def each_epoch(model, loader, criterion):
    for epoch in range(100):
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1 / (epoch + 1))  # expect: DP882
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()


def changed_before():
    model = torchvision.models.resnet18()
    model.fc = nn.Linear(512, 10)
    return torch.optim.SGD(model.parameters(), lr=0.1)


def told(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.fc = nn.Linear(512, 10)
    optimizer.add_param_group({"params": model.fc.parameters()})
    return optimizer


def another(model, other):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    other.fc = nn.Linear(512, 10)
    model.name = "x"
    return optimizer


def some_parameters(device):
    net = torchvision.models.resnet18()
    optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=1e-4)
    net.fc = nn.Linear(512, 2).to(device)  # expect: DP814
    return net, optimizer


def filtered():
    net = torchvision.models.vgg16()
    optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1)
    net.classifier[6] = nn.Linear(4096, 2)  # expect: DP814
    return net, optimizer


class Finetuner:
    def __init__(self):
        self.net = torchvision.models.resnet18()
        self.optimizer = torch.optim.SGD(params=self.net.parameters(), lr=0.1)
        self.net.fc = nn.Linear(512, 2)  # expect: DP814


def without_weights():
    net = torchvision.models.resnet18()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net.fc = nn.Identity()
    return net, optimizer


def of_another_model():
    net = torchvision.models.resnet18()
    network = torchvision.models.resnet18()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    network.fc = nn.Linear(512, 2)
    return net, optimizer, network
