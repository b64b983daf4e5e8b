import torch
from torch import nn


def normalized(x: torch.Tensor):
    if not x.is_sparse:
        return nn.functional.normalize(x, dim=-1)
    norms = x.values().pow(2)
    kept = norms.clone()
    kept[norms > 0] /= norms[norms > 0]
    return torch.sparse_coo_tensor(x.indices(), kept, x.size())


class Trainer:
    def __init__(self, model: nn.Module, optimizer: torch.optim.Optimizer, log_norm: bool):
        self.model = model.cuda()
        self.optimizer = optimizer
        self.log_norm = log_norm

    def norm(self):
        return sum(p.grad.norm().item() for p in self.model.parameters())

    def train(self, loader):
        for x, y in loader:
            loss = (normalized(self.model(x.cuda())) - y.cuda()).pow(2).mean()  # expect: DP513
            loss.backward()
            norm = self.norm() if self.log_norm else None  # hint: DP402
            self.optimizer.step()
            self.optimizer.zero_grad()
        return norm
