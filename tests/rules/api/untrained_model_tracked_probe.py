import torch
from torch import nn
from torchvision import models


class Probe(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.backbone = models.vit_b_16(weights="DEFAULT")
        self.backbone.heads = nn.Identity()
        self.head = nn.Linear(768, classes)
        self.backbone.eval()

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    def features(self, images):
        return self.backbone(images)  # expect: DP288

    def forward(self, images):
        return self.head(self.features(images))


class Trainer:
    def __init__(self, model: Probe, device):
        self.model = model.to(device)
        self.device = device
        self.optimizer = torch.optim.AdamW(self.model.head.parameters())
        self.criterion = nn.CrossEntropyLoss()

    def train_epoch(self, loader):
        self.model.train()
        for images, labels in loader:
            self.optimizer.zero_grad()
            with torch.autocast("cuda", torch.bfloat16):
                loss = self.criterion(self.model(images), labels)
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def validate(self, loader):
        self.model.eval()
        correct = torch.zeros((), device=self.device)
        for images, labels in loader:
            correct += (self.model(images).argmax(1) == labels).sum()
        return correct.item()


def main(train, val, device):
    trainer = Trainer(Probe(classes=37), device)
    for _ in range(15):
        trainer.train_epoch(train)
        print(trainer.validate(val))
