# torch 1.13: RuntimeError: The size of tensor a (100) must match the size of tensor b (96) at non-singleton dimension 2
import torch

signal = torch.randn(1, 1, 100)
smoothed = torch.nn.functional.conv1d(signal, torch.ones(1, 1, 5) / 5)
residual = signal - smoothed  # expect: DP602  # fixed: residual = signal[..., 2:-2] - smoothed
