import torch
from torch import nn
from torchvision import models


def init_weights(module):
    if isinstance(module, (nn.Conv2d, nn.Linear)):
        nn.init.kaiming_normal_(module.weight)


def init_linear(module):
    if isinstance(module, nn.Linear):
        module.weight.data.normal_(0.0, 0.02)


def init_all(network):
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.xavier_uniform_(module.weight)


def make_encoder():
    return models.resnet18(weights=models.ResNet18_Weights.IMAGENET1K_V1)


class Base(nn.Module):
    def set_weights(self):
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out")


class Segmenter(Base):
    def __init__(self):
        super().__init__()
        trained = models.resnet34(weights="IMAGENET1K_V1")
        self.encoder = nn.Sequential(trained.conv1, trained.layer1)
        self.head = nn.Conv2d(64, 2, 1)
        self.set_weights()  # expect: DP965

    def forward(self, x):
        return self.head(self.encoder(x))


class Applied(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = make_encoder()
        self.head = nn.Conv2d(512, 2, 1)
        self.apply(init_weights)  # expect: DP965

    def forward(self, x):
        return self.head(self.encoder(x))


def from_outside():
    model = models.resnet50(weights="IMAGENET1K_V2")
    model.fc = nn.Linear(2048, 10)
    init_all(model)  # expect: DP965
    return model


def after_checkpoint(path, model):
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    model.apply(init_weights)  # expect: DP965
    return model.train()


class HeadOnly(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = make_encoder()
        self.head = nn.Conv2d(512, 2, 1)
        self.head.apply(init_weights)

    def forward(self, x):
        return self.head(self.encoder(x))


class LoadedLast(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Conv2d(512, 2, 1)
        self.apply(init_weights)
        self.encoder = make_encoder()

    def forward(self, x):
        return self.head(self.encoder(x))


class FromScratch(nn.Module):
    def __init__(self, pretrained):
        super().__init__()
        self.encoder = models.resnet18(weights=None)
        self.other = models.resnet18(weights=pretrained)
        self.apply(init_weights)

    def forward(self, x):
        return self.encoder(x) + self.other(x)


def other_layers():
    model = models.resnet50(weights="IMAGENET1K_V2")
    model.fc = nn.Linear(2048, 10)
    model.apply(init_linear)
    return model


def if_wanted(config):
    model = models.resnet50(weights="IMAGENET1K_V2")
    if config.scratch:
        model.apply(init_weights)
    return model


def freeze(module):
    if isinstance(module, nn.BatchNorm2d):
        module.eval()


def frozen():
    model = models.resnet50(weights="IMAGENET1K_V2")
    model.apply(freeze)
    return model
