# torch 1.13: RuntimeError: Given groups=1, weight of size [64, 9, 5], expected input[32, 128, 9] to have 9 channels, but got 128 channels instead
import numpy as np
import torch
import torch.nn as nn

windows = np.zeros((32, 128, 9), dtype="float32")
x = torch.tensor(windows)  # fixed: x = torch.tensor(windows).transpose(1, 2)
har = nn.Sequential(nn.Conv1d(9, 64, 5), nn.ReLU(), nn.MaxPool1d(2), nn.Flatten(), nn.Linear(64 * 62, 6))  # or here
print(har(x).shape)  # expect: DP601
