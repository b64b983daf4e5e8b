import lightning as L
import torch
from torch import nn
from transformers import AutoModel


class Probe(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = AutoModel.from_pretrained("facebook/dinov2-base")
        self.head = nn.Linear(768, 10)

    def training_step(self, batch, index):
        x, y = batch
        features = self.body(pixel_values=x).last_hidden_state[:, 0]  # expect: DP159
        return nn.functional.cross_entropy(self.head(features), y)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.head.parameters(), lr=1e-3)


class Tuned(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = AutoModel.from_pretrained("facebook/dinov2-base")
        self.head = nn.Linear(768, 10)

    def training_step(self, batch, index):
        x, y = batch
        return nn.functional.cross_entropy(self.head(self.body(pixel_values=x).last_hidden_state[:, 0]), y)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)
