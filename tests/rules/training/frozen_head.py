import torch
import torch.nn as nn
from torchvision import models


def by_loop(classes):
    net = models.resnet18(weights="DEFAULT")
    net.fc = nn.Linear(512, classes)
    for p in net.parameters():  # expect: DP925
        p.requires_grad = False
    return net


def by_method(classes):
    net = models.vgg16(weights="DEFAULT")
    net.classifier[6] = nn.Linear(4096, classes)
    net.requires_grad_(False)  # expect: DP925
    return net


def by_method_of_each(classes):
    net = models.resnet50(weights="DEFAULT")
    net.fc = nn.Sequential(nn.Dropout(0.2), nn.Linear(2048, classes))
    for weight in net.parameters():  # expect: DP925
        weight.requires_grad_(False)
    return net


def frozen_first(classes):
    net = models.resnet18(weights="DEFAULT")
    for p in net.parameters():
        p.requires_grad = False
    net.fc = nn.Linear(512, classes)
    return net


def only_some(classes):
    net = models.resnet18(weights="DEFAULT")
    net.fc = nn.Linear(512, classes)
    for name, p in net.named_parameters():
        if not name.startswith("fc"):
            p.requires_grad = False
    return net


def part(classes):
    net = models.resnet18(weights="DEFAULT")
    net.fc = nn.Linear(512, classes)
    for p in net.layer1.parameters():
        p.requires_grad = False
    return net


def train(net: nn.Module, loader):
    optimizer = torch.optim.SGD(net.fc.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


def freeze(net):
    for p in net.parameters():
        p.requires_grad = False


def by_helper(classes):
    net = models.resnet18(weights="DEFAULT")
    net.fc = nn.Linear(512, classes)
    freeze(net)  # expect: DP925
    return net


def by_helper_first(classes):
    net = models.resnet18(weights="DEFAULT")
    freeze(net)
    net.fc = nn.Linear(512, classes)
    return net


def features_only(images, optimizer):
    net = models.resnet34(weights="DEFAULT")
    net.fc = nn.Sequential()
    for p in net.parameters():
        p.requires_grad = False
    return net(images)


def features_by_identity(images):
    net = models.resnet34(weights="DEFAULT")
    net.fc = nn.Identity()
    net.requires_grad_(False)
    return net(images)


def new_head_with_layers(images):
    net = models.resnet34(weights="DEFAULT")
    net.fc = nn.Sequential(nn.Linear(512, 10))
    for p in net.parameters():  # expect: DP925
        p.requires_grad = False
    return net(images)
