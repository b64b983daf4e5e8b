from dataclasses import dataclass

import torch
from steps import from_either, memory, report, synchronize, written
from torch import nn


@dataclass
class Config:
    device: torch.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    name: str = "cuda"


class Net(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.device = device
        self.where = "cuda"
        self.layer = nn.Linear(2, 2).to(device)

    def forward(self, x):
        if self.device == "cuda":  # expect: DP890
            x = x.contiguous()
        if self.where == "cuda":
            x = x.contiguous()
        return self.layer(x)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Net(device)
    x = torch.zeros(2, 2, device=device)
    if x.device in ["cuda:0", "cuda:1"]:  # expect: DP890
        print("first two")
    if "cuda" in device:  # expect: DP890
        print("a GPU")
    if next(net.parameters()).device == "cpu":  # expect: DP890
        print("slow")
    if net.layer.weight.device != torch.device("cuda"):  # expect: DP890
        print("no GPU")
    if x.device == device:  # expect: DP890
        print("same place")
    # Nothing is copied where it was there already.
    if x.device != device:
        x = x.to(device)
    y = x if x.device == device else x.to(device)
    assert x.device.type in ("cuda", "cpu")
    assert x.device == next(net.parameters()).device
    assert "cuda" in str(device)
    assert Config().name == "cuda"
    synchronize(device)
    memory(device)
    report(Config())
    from_either(device)
    from_either("cuda")
    written(device)
    return net(y)


def picked(name, x: torch.Tensor):
    device = "cuda" if name else "cpu"
    if device == "cuda":
        torch.cuda.empty_cache()
    device = torch.device(device)
    if device == "cuda":  # expect: DP890
        torch.cuda.empty_cache()
    first = torch.device("cuda:0")
    return x.device == first


main()
