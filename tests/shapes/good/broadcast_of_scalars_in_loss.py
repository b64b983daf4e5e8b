import torch
import torch.nn.functional as F

pred = torch.randn(8, 1, requires_grad=True)
target = torch.zeros(8, 1)
loss = F.mse_loss(pred, target) + 0.1 * (pred - pred.mean()).pow(2).mean()
penalty = ((pred.norm(dim=1) - 1) ** 2).mean()
(loss + penalty).backward()
