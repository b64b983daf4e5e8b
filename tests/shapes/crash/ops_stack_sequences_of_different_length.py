# torch 1.13: RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0 and [4] at entry 1
import torch
from torch.nn.utils.rnn import pad_sequence

first = torch.tensor([4, 8, 15])
second = torch.tensor([16, 23, 42, 108])
padded = torch.stack([first, second], dim=0)  # expect: DP602  # fixed: padded = pad_sequence([first, second], batch_first=True)
