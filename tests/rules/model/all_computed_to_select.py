import torch
import torch.nn.functional as F


def posterior(x: torch.Tensor):
    return torch.exp(x), torch.log(x)


def losses(pred: torch.Tensor, target: torch.Tensor, kind: str):
    chosen = {"l1": F.l1_loss(pred, target), "mse": F.mse_loss(pred, target)}[kind]  # expect: DP262
    start = {  # expect: DP262
        "previous": posterior(pred)[0],
        "noise": target,
    }[kind]
    function = {"l1": F.l1_loss, "mse": F.mse_loss}[kind]
    size = {"small": 1, "large": 2}[kind]
    names = {"small": "a".upper(), "large": "b"}[kind]
    known = {"a": F.l1_loss(pred, target), "b": F.mse_loss(pred, target)}
    return chosen, start, function(pred, target), size, names, known
