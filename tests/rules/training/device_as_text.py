import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
name = "cuda" if torch.cuda.is_available() else "cpu"


def wait(x: torch.Tensor, where):
    a = x.device == "cuda"  # hint: DP890
    b = device != "cpu"  # hint: DP890
    c = "mps" == device  # hint: DP890
    d = x.device.type == "cuda"
    e = name == "cuda"
    f = where == "cuda"
    g = device == torch.device("cpu")
    return a, b, c, d, e, f, g
