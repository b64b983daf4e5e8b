# torch 1.13: RuntimeError: Expected floating point type for target with class probabilities, got Long
import torch
import torch.nn as nn
import torch.nn.functional as F

logits = torch.randn(8, 5)
labels = torch.randint(0, 5, (8,))
target = F.one_hot(labels, num_classes=5)
loss = nn.CrossEntropyLoss()(logits, target)  # expect: DP605  # fixed: loss = nn.CrossEntropyLoss()(logits, labels)
