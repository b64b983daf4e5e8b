# torch 1.13: IndexError: tensors used as indices must be long, byte or bool tensors
import torch

scores = torch.rand(10, 4)
keep = (scores[:, 0] > 0.5).float()
boxes = torch.rand(10, 4)
selected = boxes[keep]  # expect: DP607  # fixed: selected = boxes[keep.bool()]
print(selected.shape)
