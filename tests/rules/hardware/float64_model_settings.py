from dataclasses import dataclass

import torch
from torch import nn

CONFIG = {"dtype": torch.float64, "other": torch.float32}


@dataclass
class Settings:
    dtype: torch.dtype = torch.double
    other: torch.dtype = torch.bfloat16
    name: str = "float64"


class Trainer:
    def __init__(self, model, settings):
        self.model = model.to(dtype=settings.dtype)  # hint: DP517
        self.copy = model.to(settings.other)


def build(device, dtype=None):
    return nn.Linear(3, 3).to(device, dtype)


def make(settings, device):
    first = nn.Linear(3, 3).to(device, CONFIG["dtype"])  # hint: DP517
    second = nn.Linear(3, 3).to(device, CONFIG["other"])
    third = nn.Linear(3, 3).to(getattr(torch, settings.name))  # hint: DP517
    return first, second, third, build(device)


settings = Settings()
device = torch.device("cuda")
Trainer(nn.Linear(3, 3).to(device), settings)
make(settings, device)
x = torch.zeros(3, dtype=torch.float64, device=device).to(settings.dtype)
