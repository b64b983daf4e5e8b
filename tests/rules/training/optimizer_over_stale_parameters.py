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


def make_optimizer(net, lr):
    matrices, vectors = [], []
    for parameter in net.parameters():
        (vectors if parameter.ndim < 2 else matrices).append(parameter)
    return torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": vectors}], lr=lr)


def put_head(net, classes):
    net.fc = nn.Linear(net.fc.in_features, classes)
    return net


def through_functions(classes):
    net = torchvision.models.resnet18()
    optimizer = make_optimizer(net, 1e-3)
    net = put_head(net, classes)  # expect: DP814
    return net, optimizer


def through_functions_in_order(classes):
    net = torchvision.models.resnet18()
    net = put_head(net, classes)
    optimizer = make_optimizer(net, 1e-3)
    return net, optimizer


def through_functions_of_another(classes):
    net = torchvision.models.resnet18()
    student = torchvision.models.resnet18()
    optimizer = make_optimizer(net, 1e-3)
    student = put_head(student, classes)
    return net, optimizer, student


def in_groups():
    net = torchvision.models.resnet18()
    optimizer = torch.optim.SGD(
        [{"params": net.layer4.parameters(), "lr": 0.01}, {"params": net.fc.parameters()}], lr=0.1
    )
    net.fc = nn.Sequential(nn.Dropout(0.2), nn.Linear(512, 2))  # expect: DP814
    return net, optimizer


def beside_the_groups():
    net = torchvision.models.resnet18()
    optimizer = torch.optim.SGD(net.layer4.parameters(), lr=0.1)
    net.fc = nn.Linear(512, 2)
    return net, optimizer


class Head(nn.Module):
    def __init__(self, size, classes):
        super().__init__()
        self.out = nn.Linear(size, classes)

    def forward(self, x):
        return self.out(x)


class Tuner:
    def __init__(self, classes):
        self.net = torchvision.models.resnet18()
        self.optimizer = self.make_optimizer()
        self.adapt(classes)  # expect: DP814

    def make_optimizer(self):
        optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-3)
        return optimizer

    def adapt(self, classes):
        self.net.fc = Head(512, classes)


class TunerInOrder:
    def __init__(self, classes):
        self.net = torchvision.models.resnet18()
        self.adapt(classes)
        self.optimizer = self.make_optimizer()

    def make_optimizer(self):
        return torch.optim.AdamW(self.net.parameters(), lr=1e-3)

    def adapt(self, classes):
        self.net.fc = Head(512, classes)


def behind_a_test(config):
    net = torchvision.models.resnet18()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    if config.classes != 1000:
        setattr(net, "fc", nn.Linear(512, config.classes))  # expect: DP814
    return net, optimizer


def on_another_path(config):
    net = torchvision.models.resnet18()
    if config.resume:
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        return net, optimizer
    net.fc = nn.Linear(512, config.classes)
    return net, None
