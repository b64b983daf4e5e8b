import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="train")
parser.add_argument("--checkpoint", default=None)
args = parser.parse_args()


def different_texts(mode, split):
    if mode != "train" or mode != "test":  # expect: DP995
        raise ValueError(mode)
    if not (args.mode == "train" and args.mode == "eval"):  # expect: DP995
        print("neither")
    if args.checkpoint is not None or args.checkpoint != "":  # expect: DP995
        print("resume")
    assert split.lower() != "val" or mode or split.lower() != "test"  # expect: DP995


def numbers(x: torch.Tensor, rate):
    if len(x.shape) != 3 or len(x.shape) != 4:  # expect: DP995
        raise ValueError(x.shape)
    if 0.1 > rate and rate > 0.5:  # expect: DP995
        raise ValueError(rate)
    valid = (x != 0) | (x != 255)  # expect: DP995
    both = (x == 1) & (x == 2) & (x > 0)  # expect: DP995
    return valid, both


def bare_texts(model, name, mode):
    if mode == "train" or "finetune":  # expect: DP995
        model.train()
    if "head" and "norm" in name:  # expect: DP995
        print(name)
    if mode == ("train" or "test"):  # expect: DP995
        print(mode)
    return [one for one, _ in model.named_parameters() if "conv" or "bn" in one]  # expect: DP995


def branches(kind, parameters):
    if kind == "adam":
        return torch.optim.Adam(parameters, lr=1e-3)
    elif kind == "sgd":
        return torch.optim.SGD(parameters, lr=1e-3)
    elif kind == "adam":  # expect: DP995
        return torch.optim.AdamW(parameters, lr=1e-3)
    elif kind == "sgd":  # hint: DP995
        return torch.optim.SGD(parameters, lr=1e-3)
    raise ValueError(kind)


def lookalikes(mode, split, name, x: torch.Tensor, rate, model):
    if mode != "train" and mode != "test":
        raise ValueError(mode)
    if mode == "train" or mode == "test" or split == "train":
        print(mode)
    if mode != "train" or split != "train":
        print(mode)
    if rate < 0.0 or rate > 1.0:
        raise ValueError(rate)
    if rate > 0.1 and rate > 0.5:
        print(rate)
    if next(x) != 1 or next(x) != 2:
        print("two different numbers")
    label = name or "none"
    title = mode == "train" and "Training" or "Evaluation"
    if "head" in name or "norm" in name:
        print(name)
    if mode in ("train", "test") and (name or "default") != "none":
        print(mode)
    ignored = (x == 0) | (x == 255)
    kept = (x != 0) & (x != 255)
    if name == "a":
        print(1)
    elif next(x) == 1:
        print(2)
    elif next(x) == 1:
        print(3)
    return label, title, ignored, kept
