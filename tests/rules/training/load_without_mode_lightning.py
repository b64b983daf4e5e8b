import lightning as L
import torch
import torch.nn.functional as F
from torch import nn


class Churn(L.LightningModule):
    def __init__(self, features: int, rate: float = 1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(features, 64, bias=False), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return F.binary_cross_entropy_with_logits(self(x), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.rate)


class Scorer:
    def __init__(self, checkpoint):
        self.model = Churn.load_from_checkpoint(checkpoint, map_location="cpu")

    @torch.inference_mode()
    def score(self, rows):
        return torch.sigmoid(self.model(torch.tensor(rows))).tolist()  # expect: DP813


def load(path):
    model = Churn.load_from_checkpoint(path, map_location="cpu")
    return model.to("cpu")


def predict(path, rows):
    model = load(path)
    with torch.no_grad():
        return torch.sigmoid(model(rows))  # expect: DP813


class Lazy:
    model = None

    def ensure(self, path):
        if self.model is None:
            self.model = Churn.load_from_checkpoint(path)

    @torch.no_grad()
    def __call__(self, rows):
        return self.model(rows).sigmoid()  # expect: DP813
