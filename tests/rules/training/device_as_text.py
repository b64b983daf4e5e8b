import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
name = "cuda" if torch.cuda.is_available() else "cpu"


def wait(x: torch.Tensor, where):
    a = x.device == "cuda"  # expect: DP890
    b = device != "cpu"  # expect: DP890
    c = "mps" == device  # expect: DP890
    d = x.device.type == "cuda"
    e = name == "cuda"
    f = where == "cuda"
    g = device == torch.device("cpu")
    return a, b, c, d, e, f, g


def on_gpu(x: torch.Tensor, other, y):
    a = x.device == torch.device("cuda")  # expect: DP890
    if isinstance(y, torch.Tensor):
        if y.device != torch.device("cuda"):  # hint: DP890
            y = y.to("cuda")
        if y.device != torch.device("cuda"):  # expect: DP890
            raise ValueError("not on the GPU")
    b = x.device == torch.device("cuda:0")
    c = x.device != torch.device("cpu")
    d = other.device == torch.device("cuda")
    return a, b, c, d, y


def string_as_device(name):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda":
        print(torch.cuda.get_device_name(device.index))  # expect: DP890
    if device.type == "cuda":  # expect: DP890
        print("GPU")
    position = device.index("c")
    device = torch.device(device)
    print(device.index, device.type, position)
    name = "cuda" if name is None else name
    return name.type


def loaded(device="cpu"):
    model = torch.nn.Linear(3, 3)
    if device == "cpu":
        model = model.float()
    return model.to(device)


loaded(torch.device("cuda"))
