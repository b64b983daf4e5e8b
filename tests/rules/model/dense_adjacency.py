import torch

NODES = 20000


def build(source, target):
    adjacency = torch.zeros(NODES, NODES)
    adjacency[source, target] = 1.0
    return adjacency


def fires(source, target, features):
    return build(source, target) @ features  # expect: DP254


def also(source, target, features):
    adjacency = torch.zeros(NODES, NODES)
    adjacency[source, target] = 1.0
    return torch.mm(adjacency, features)  # expect: DP254


def silent(source, target, features):
    small = torch.zeros(30, 30)
    small[source, target] = 1.0
    block = torch.zeros(NODES, NODES)
    block[:100, :100] = 1.0
    return small @ features, block @ features
