import torch
import torch.nn as nn
import torch.nn.functional as F


def mask_tokens(inputs: torch.Tensor, token: int):
    labels = inputs
    chosen = torch.rand(inputs.shape) < 0.15
    inputs[chosen] = token  # expect: DP275
    return inputs, labels


def denoise(model: nn.Module, x: torch.Tensor):
    noisy = x
    noisy += 0.1 * torch.randn_like(x)  # expect: DP275
    return F.mse_loss(model(noisy), x)


class Collate:
    def __call__(self, batch):
        ids = torch.stack(batch)
        labels = ids
        labels[labels == 0] = -100  # expect: DP275
        return {"input_ids": ids, "labels": labels}


def dropped(x: torch.Tensor):
    y = x
    y.clamp_(min=0)  # expect: DP275
    return x, y


# ---- Right


def copied(inputs: torch.Tensor, token: int):
    labels = inputs.clone()
    inputs[torch.rand(inputs.shape) < 0.15] = token
    return inputs, labels


def renamed(x: torch.Tensor):
    y = x
    y += 1
    return y


def computed(x: torch.Tensor):
    y = x
    y = y + 1
    y += 1
    return x, y


def skip(block: nn.Module, x: torch.Tensor):
    identity = x
    out = block(x)
    out += identity
    return out, x
