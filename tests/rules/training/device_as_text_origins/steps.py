import torch


def synchronize(device):
    if device == "cuda":  # expect: DP890
        torch.cuda.synchronize()


def memory(device: torch.device):
    return 1 if device == "cuda" else 2  # expect: DP890


def report(cfg):
    return cfg.device in ("cuda", "cuda:0")  # expect: DP890


def from_either(device):
    return device == "cuda"


def written(device: torch.device):
    if isinstance(device, str) and device == "cuda":
        return torch.device(device)
    return device


def nobody_calls(device: torch.device):
    return device != "cpu"  # hint: DP890
