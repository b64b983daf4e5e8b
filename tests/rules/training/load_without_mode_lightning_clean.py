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


class Linear(Churn):
    def __init__(self, features: int):
        super().__init__(features)
        self.net = nn.Linear(features, 1)


class Scorer:
    def __init__(self, checkpoint):
        self.model = Churn.load_from_checkpoint(checkpoint, map_location="cpu").eval()

    @torch.inference_mode()
    def score(self, rows):
        return torch.sigmoid(self.model(torch.tensor(rows))).tolist()


def load(path):
    model = Churn.load_from_checkpoint(path, map_location="cpu")
    model.eval()
    return model


def predict(path, rows):
    model = load(path)
    with torch.no_grad():
        return torch.sigmoid(model(rows))


def predict_with_dropout(path, rows, samples):
    model = Churn.load_from_checkpoint(path)
    model.train()
    with torch.no_grad():
        return torch.stack([model(rows) for _ in range(samples)]).std(dim=0)


def continue_training(path, loader):
    model = Churn.load_from_checkpoint(path)
    L.Trainer(max_epochs=3).fit(model, loader)


def test(path, loader):
    return L.Trainer().test(Churn.load_from_checkpoint(path), loader)


class Frozen:
    def __init__(self, path):
        self.model = Churn.load_from_checkpoint(path)
        self.model.freeze()

    @torch.no_grad()
    def __call__(self, rows):
        return self.model(rows)
