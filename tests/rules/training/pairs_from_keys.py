from collections import OrderedDict

import torch


def trained(model: torch.nn.Module, bias_name=None):
    found = {}
    for name, weight in model.named_parameters():
        if weight.requires_grad:
            found[name] = weight
    for name, weight in found:  # expect: DP893
        print(name, weight)
    return {name: weight.detach() for name, weight in found}  # expect: DP893


def literal():
    sizes = {"train": 3, "valid": 1}
    return [name for name, size in sizes]  # expect: DP893


def ordered(state):
    renamed = OrderedDict()
    renamed["model." + state] = 1
    renamed[f"{state}.weight"] = 2
    for key, value in renamed:  # expect: DP893
        print(key, value)


def right(model: torch.nn.Module):
    found = {}
    for name, weight in model.named_parameters():
        found[name] = weight
    for name, weight in found.items():
        print(name, weight)
    for name in found:
        print(name)
    return [(key, value) for key, value in sorted(found.items())]


def pairs():
    edges = {}
    edges[(0, 1)] = 1.0
    return [source + target for source, target in edges]


def unknown(found, key):
    other = {}
    other[key] = 1
    for name, weight in found:
        print(name, weight)
    for name, weight in other:
        print(name, weight)
    other = [("a", 1)]
    for name, weight in other:
        print(name, weight)
