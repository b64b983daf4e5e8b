# torch 1.13: RuntimeError: expected scalar type Long but found Float
import torch

adjacency = torch.eye(5, dtype=torch.int64)
features = torch.randn(5, 3)
out = adjacency @ features  # expect: DP607  # fixed: out = adjacency.float() @ features
