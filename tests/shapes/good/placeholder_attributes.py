import torch
from torch import nn
from torch.nn import functional as F


class Prototypes(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.prototypes = torch.tensor(())
        self.labels = torch.tensor(())
        self.is_ready = False

    def adapt(self, images, labels):
        self.prototypes = self.backbone(images)
        self.labels, self.is_ready = labels, True

    def forward(self, images):
        if not self.is_ready:
            return self.prototypes.sum()
        scores = F.normalize(self.backbone(images), dim=1) @ F.normalize(self.prototypes, dim=1).T
        return scores @ F.one_hot(self.labels, 3).float()


class Few(Prototypes):
    def forward(self, images):
        return F.normalize(self.prototypes, dim=1).T
