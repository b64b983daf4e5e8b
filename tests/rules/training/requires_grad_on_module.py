import timm
import torch
import torchvision
from torch import nn
from transformers import AutoModel


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
        self.scales = nn.ParameterList([nn.Parameter(torch.zeros(3))])
        self.fc.requires_grad = False  # expect: DP864
        self.layers[0].requires_grad = False  # expect: DP864
        self.fc.weight.requires_grad = False
        self.scales[0].requires_grad = False
        self.requires_grad = False

    def freeze(self):
        self.layers.requires_grad = False  # expect: DP864


vgg = torchvision.models.vgg16()
vgg.features.requires_grad = False  # expect: DP864
vgg.classifier[6].requires_grad = True  # expect: DP864
backbone = timm.create_model("resnet18", pretrained=True)
backbone.requires_grad = False  # expect: DP864
block = Block()
block.fc.requires_grad = False  # expect: DP864
bert = AutoModel.from_pretrained("bert-base-uncased")
bert.requires_grad = False  # expect: DP864

for child in vgg.children():
    child.requires_grad = False  # expect: DP864
for name, module in block.named_modules():
    module.requires_grad = False  # expect: DP864

vgg.features.requires_grad_(False)
for parameter in vgg.parameters():
    parameter.requires_grad = False
for name, parameter in vgg.named_parameters():
    parameter.requires_grad = False
for child in vgg.children():
    for parameter in child.parameters():
        parameter.requires_grad = False
x = torch.zeros(3)
x.requires_grad = True


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    @property
    def requires_grad(self):
        return self.fc.weight.requires_grad

    @requires_grad.setter
    def requires_grad(self, value):
        self.fc.requires_grad_(value)


own = Own()
own.requires_grad = False
