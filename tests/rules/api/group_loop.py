import torch
from torch import nn
from tqdm import tqdm


def mean_of_neighbours(h: torch.Tensor, edges):
    src, dst = edges
    rows = []
    for node in range(h.size(0)):  # expect: DP185
        near = h[src[dst == node]]
        rows.append(near.mean(dim=0) if len(near) else torch.zeros_like(h[node]))
    return torch.stack(rows)


def by_mask(x: torch.Tensor, owner: torch.Tensor):
    n, width = x.shape
    out = torch.zeros(n, width)
    for i in range(n):  # expect: DP185
        mask = owner == i
        out[i] = x[mask].sum(0)
    return out


def listed(x: torch.Tensor, owner: torch.Tensor):
    return torch.stack([x[owner == i].amax(0) for i in range(len(x))])  # expect: DP185


def with_places(points: torch.Tensor, voxel: torch.Tensor):
    out = []
    for i in tqdm(range(points.shape[0])):  # expect: DP185
        at = torch.where(i == voxel)[0]
        out.append(points[at].max(dim=0).values)
    return torch.stack(out)


class Layer(nn.Module):
    def forward(self, graph, x):
        total = torch.zeros_like(x)
        for i in range(graph.num_nodes):  # expect: DP185
            total[i] = x[graph.edge_index[1] == i].sum(dim=0)
        return total


# ---- Silent


def at_once(h: torch.Tensor, src, dst):
    return torch.zeros_like(h).index_add_(0, dst, h[src])


def prototypes(features: torch.Tensor, labels: torch.Tensor, classes: int):
    return torch.stack([features[labels == c].mean(0) for c in range(classes)])


def few(x: torch.Tensor, owner: torch.Tensor):
    return [x[owner == i].sum(0) for i in range(4)]


def through_module(x: torch.Tensor, owner: torch.Tensor, net: nn.Module):
    out = []
    for i in range(len(x)):
        out.append(net(x[owner == i]).mean(0))
    return out


def medians(x: torch.Tensor, owner: torch.Tensor):
    return [x[owner == i].median(0).values for i in range(x.size(0))]


def not_compared(x: torch.Tensor):
    return torch.stack([x[i].clone() for i in range(x.size(0))])  # hint: DP139


def cluster_centers(boxes: torch.Tensor, owner: torch.Tensor, centers: torch.Tensor):
    out = torch.zeros_like(centers)
    for i in range(centers.shape[0]):
        mask = owner == i
        if mask.sum():
            out[i] = boxes[mask].mean(0)
    return out


def segments(classes: torch.Tensor, owner: torch.Tensor, seen: torch.Tensor):
    for k in range(classes.shape[0]):
        mask = owner == k
        if mask.any():
            seen[mask] = k
    return seen


def many_clusters(points: torch.Tensor, nearest: torch.Tensor, centers: torch.Tensor):
    updated = []
    for cluster in range(256):  # expect: DP185
        members = points[nearest == cluster]
        updated.append(members.mean(0) if len(members) else centers[cluster])
    return torch.stack(updated)


def ten_classes(points: torch.Tensor, labels: torch.Tensor):
    return torch.stack([points[labels == c].mean(0) for c in range(10)])
