import os
from pathlib import Path

import torch


def optimizer_of(name, parameters):
    if name.lower() == "Adam":  # expect: DP430
        return torch.optim.Adam(parameters)
    kind = name.lower().strip()
    kind = kind.lower()
    if kind == "AdamW":  # expect: DP430
        return torch.optim.AdamW(parameters)
    if kind in ("sgd", "RMSprop"):  # expect: DP430
        return torch.optim.SGD(parameters, lr=0.1)
    raise ValueError(name)


def normalizations(model):
    return [one for one in model.modules() if "BatchNorm" in type(one).__name__.lower()]  # expect: DP430


def pictures(folder):
    found = [f for f in os.listdir(folder) if os.path.splitext(f)[1] in ("png", "jpg")]  # expect: DP430
    found += [f for f in os.listdir(folder) if f.split(".")[-1] == ".png"]  # expect: DP430
    found += [f for f in Path(folder).iterdir() if f.suffix == "png"]  # expect: DP430
    found += [f for f in os.listdir(folder) if f.lower().endswith(".JPG")]  # expect: DP430
    extension = os.path.splitext(folder)[-1].lower()
    if extension != "pt":  # expect: DP430
        raise ValueError(folder)
    return found


def lookalikes(name, folder, flag):
    if name.lower() == "adam" or name == "Adam":
        print(name)
    if name.lower() in ("adam", "Adam"):
        print(name)
    if name.upper() == "ADAM":
        print(name)
    kind = name
    if flag:
        kind = name.lower()
    if kind == "AdamW":
        print(kind)
    if "BatchNorm" in type(name).__name__:
        print(name)
    found = [f for f in os.listdir(folder) if os.path.splitext(f)[1] in (".png", "")]
    found += [f for f in os.listdir(folder) if os.path.splitext(f)[0] == "image"]
    found += [f for f in os.listdir(folder) if f.split(".")[-1] == "png"]
    found += [f for f in os.listdir(folder) if f.split("_")[-1] == "a.png"]
    found += [f for f in os.listdir(folder) if f.lower().endswith(".jpg") or f.endswith("JPG")]
    found += [f for f in Path(folder).iterdir() if f.suffix[1:] == "png"]
    return found
