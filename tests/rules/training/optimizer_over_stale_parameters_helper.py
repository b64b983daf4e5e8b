import torch
import torch.nn as nn
import torchvision


def adapt(net, classes):
    width = net.fc.in_features
    net.fc = nn.Sequential(nn.Dropout(0.2), nn.Linear(width, classes))


def describe(net, classes):
    print(net.fc, classes)


def after():
    net = torchvision.models.resnet18()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    adapt(net, 10)  # expect: DP814
    return net, optimizer


def before():
    net = torchvision.models.resnet18()
    adapt(net, 10)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    describe(net, 10)
    return net, optimizer


def other():
    net, head = torchvision.models.resnet18(), torchvision.models.resnet18()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    adapt(head, 10)
    return net, head, optimizer
