# What is read by index comes from callers that are not known, but the function uses it as tensors.
import torch


def sum_neighbors(h, edge_index):
    src, dst = edge_index
    out = torch.zeros_like(h)
    for e in range(edge_index.size(1)):  # expect: DP160
        out[dst[e]] = out[dst[e]] + h[src[e]]
    return out


def count(index, n):
    places = index[0]
    out = torch.zeros(n)
    for i in range(index.numel()):  # expect: DP160
        out[places[i]] += 1
    return out


def of_lists(rows, places, n):
    out = torch.zeros(n)
    for i in range(len(rows)):  # hint: DP160
        out[places[i]] = out[places[i]] + rows[i]
    return out


def of_two_kinds(h, places, n):
    out = torch.zeros_like(h)
    places = list(places)
    places = torch.tensor(places)
    for i in range(n):  # expect: DP160
        out[places[i]] = out[places[i]] + h[i]
    return out
