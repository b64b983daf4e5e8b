import lightning.pytorch as pl
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Replay(IterableDataset):
    def __init__(self, capacity, width, size):
        self.states = np.zeros((capacity, width), dtype=np.float32)
        self.actions = np.zeros(capacity, dtype=np.int64)
        self.rewards = np.zeros(capacity, dtype=np.float32)
        self.size = size

    def __iter__(self):
        while True:
            rows = np.random.randint(0, len(self.states), size=self.size)
            batch = {"state": self.states[rows], "action": self.actions[rows], "reward": self.rewards[rows]}
            yield {key: torch.from_numpy(value) for key, value in batch.items()}


class Agent(pl.LightningModule):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 4))
        self.replay = Replay(10_000, width, 32)

    def forward(self, states):
        return self.net(states)

    def taken(self, batch):
        return self(batch["state"]).gather(1, batch["action"].unsqueeze(1))

    def training_step(self, batch, index):
        loss = F.smooth_l1_loss(self.taken(batch), batch["reward"])  # expect: DP606
        right = F.smooth_l1_loss(self.taken(batch).squeeze(1), batch["reward"])
        self.log("loss", loss)
        return loss + right

    def train_dataloader(self):
        return DataLoader(self.replay, batch_size=None)


class Points(Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, index):
        return torch.rand(8), torch.tensor(0.5)


class Data(pl.LightningDataModule):
    def setup(self, stage=None):
        self.points = Points()

    def train_dataloader(self):
        return DataLoader(self.points, batch_size=16, num_workers=2, pin_memory=True, persistent_workers=True)


class Regression(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 1)

    def training_step(self, batch, index):
        x, y = batch
        mask = torch.ones(len(x), device=self.device)
        return F.mse_loss(self.net(x), y) + (self.net(x).squeeze(1) * mask).mean()  # expect: DP606


pl.Trainer(max_steps=100).fit(Agent(8))
pl.Trainer(max_epochs=3, devices=1).fit(Regression(), datamodule=Data())
