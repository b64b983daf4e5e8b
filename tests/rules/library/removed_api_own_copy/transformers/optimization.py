import torch


class AdamW(torch.optim.Optimizer):
    pass
