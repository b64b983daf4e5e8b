import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SAMPLES = 768
BATCH = 64
POINTS = 512


class PointClouds(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.clouds = [self.rng.random((POINTS, 3), dtype=np.float32) for _ in range(SAMPLES)]

    def __len__(self):
        return len(self.clouds)

    def __getitem__(self, index):
        cloud = self.clouds[index]
        return cloud - cloud.mean(axis=0), index % 10


def collate(samples):
    clouds = [np.ascontiguousarray(cloud) for cloud, _ in samples]
    labels = [label for _, label in samples]
    return torch.from_numpy(np.stack(clouds)), torch.tensor(labels)


torch.manual_seed(0)
model = nn.Linear(3, 10)
losses = []
with torch.no_grad():
    for clouds, labels in DataLoader(PointClouds(), batch_size=BATCH, collate_fn=collate, num_workers=0):
        logits = model(clouds).amax(dim=1)
        losses.append(nn.functional.cross_entropy(logits, labels).item())

result = losses
