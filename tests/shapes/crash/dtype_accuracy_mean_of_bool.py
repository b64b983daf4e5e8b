# torch 1.13: RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Bool
import torch

pred = torch.tensor([1, 0, 1])
gold = torch.tensor([1, 1, 1])
acc = torch.mean(pred == gold)  # expect: DP607  # fixed: acc = torch.mean((pred == gold).float())
