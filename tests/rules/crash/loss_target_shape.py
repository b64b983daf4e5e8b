import torch
import torch.nn.functional as F
from torch import nn

scores = torch.randn(8, 10)
F.cross_entropy(scores, torch.randint(0, 10, (8,)))
F.cross_entropy(scores, torch.randint(0, 10, (4,)))  # expect: DP605
F.cross_entropy(scores, torch.randn(8, 10).softmax(1))
nn.CrossEntropyLoss()(torch.randn(8, 20, 10), torch.randint(0, 10, (8, 20)))  # expect: DP605
nn.BCEWithLogitsLoss()(torch.randn(8, 1), torch.rand(8))  # expect: DP605
nn.BCEWithLogitsLoss()(torch.randn(8, 1), torch.rand(8, 1))
