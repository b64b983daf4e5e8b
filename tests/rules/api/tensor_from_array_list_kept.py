# Lists of arrays in attributes and dictionaries, filled through **keywords.
from typing import Dict, List

import numpy as np
import torch


class Rollout:
    FIELDS = ("obs", "reward")

    def __init__(self):
        self.steps: Dict[str, List[np.ndarray]] = {name: [] for name in self.FIELDS}

    def append(self, **step: np.ndarray):
        for name, value in step.items():
            self.steps[name].append(value)

    def drain(self, device):
        return {k: torch.tensor(v, device=device) for k, v in self.steps.items()}  # expect: DP137

    def drain_stacked(self, device):
        return {k: torch.from_numpy(np.stack(v)).to(device) for k, v in self.steps.items()}


class Buffer:
    def __init__(self):
        self.observations: List[np.ndarray] = []
        self.rewards: List[float] = []

    def add(self, observation, reward):
        self.observations.append(observation)
        self.rewards.append(reward)

    def tensors(self):
        observations = torch.tensor(self.observations)  # expect: DP137
        return observations, torch.tensor(self.rewards)
