# Heads of torchvision's models, replaced and taken away in the ways that people do it.
import torch
from torch import nn
from torchvision import models
from torchvision.models import resnet50

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.rand(2, 3, 64, 64)
model = models.resnet18()
for parameter in model.parameters():
    parameter.requires_grad = False
model.fc = nn.Linear(model.fc.in_features, 10)
print(model.to(device)(x.to(device)).shape)
model = models.resnet34(num_classes=5)
print(nn.CrossEntropyLoss()(model(x), torch.tensor([1, 4])))
model = models.resnet18()
model.conv1 = nn.Conv2d(1, 64, 7, 2, 3, bias=False)
print(model(torch.rand(2, 1, 64, 64)).shape)
model = resnet50()
model.fc = nn.Identity()
print(nn.Linear(2048, 3)(model(x)).shape)
model.fc = nn.Sequential(nn.Linear(2048, 16), nn.ReLU(), nn.Linear(16, 2))
print(model(x).shape)
model = models.vgg11()
model.classifier[6] = nn.Linear(4096, 2)
print(model(x).shape)
model = models.vgg11()
model.classifier = nn.Linear(512, 2)
model.avgpool = nn.AdaptiveAvgPool2d(1)
print(model(x).shape)
model = models.mobilenet_v2()
model.classifier[1] = nn.Linear(model.last_channel, 2)
print(model(x).shape)
model = models.densenet121()
model.classifier = nn.Linear(model.classifier.in_features, 2)
print(model(x).shape)
body = nn.Sequential(*list(models.resnet18().children())[:-1])
print(nn.Linear(512, 2)(body(x).flatten(1)).shape)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = models.resnet18()
        self.backbone.fc = nn.Linear(512, 64)
        self.head = nn.Linear(64, 2)

    def forward(self, x):
        return self.head(torch.relu(self.backbone(x)))


print(Net()(x).shape)
