# torch 1.13: RuntimeError: expected scalar type Long but found Int
import torch
import torch.nn as nn

logits = torch.randn(4, 3)
labels = torch.tensor([0, 2, 1, 1], dtype=torch.int32)
loss = nn.NLLLoss()(logits.log_softmax(1), labels)  # expect: DP607  # fixed: loss = nn.NLLLoss()(logits.log_softmax(1), labels.long())
