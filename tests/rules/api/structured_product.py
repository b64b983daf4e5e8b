import numpy as np
import tensorflow as tf
import torch
import torch.nn.functional as F


def fires(v: torch.Tensor, x: torch.Tensor, y: torch.Tensor, tokens, weight):
    a = torch.diag(v) @ x  # hint: DP163
    b = x @ torch.diag(v)  # hint: DP163
    scale = torch.diag(v)
    c = torch.mm(scale, x)  # hint: DP163
    d = F.one_hot(tokens, 1000).float() @ weight  # expect: DP163
    e = torch.diagonal(x @ y.t())  # expect: DP163
    f = (x @ y.t()).diag()  # expect: DP163
    kernel = x @ x.t() + 0.1 * torch.eye(500)
    g = torch.inverse(kernel) @ y  # expect: DP163
    return a, b, c, d, e, f, g


def perhaps(camera: torch.Tensor, points: torch.Tensor, r: torch.Tensor, ids, table):
    a = torch.inverse(camera) @ points  # hint: DP163
    b = torch.trace(r @ r.t())  # hint: DP163
    c = np.diag([1.0, 2.0]) @ np.ones((2, 2))
    d = tf.matmul(tf.one_hot(ids, 2), table)  # hint: DP163
    return a, b, c, d


def silent(v: torch.Tensor, x: torch.Tensor, weight, labels):
    a = v.unsqueeze(1) * x
    b = torch.diag(x)
    c = x @ weight
    d = F.one_hot(labels, 10).float() * x
    e = x @ F.one_hot(labels, 10).float()
    f = torch.diagonal(x)
    return a, b, c, d, e, f


# The loader calls collate() for each batch.
class Graphs(torch.utils.data.Dataset):
    def collate(self, samples):
        return torch.stack([self.normalized(adjacency) for adjacency in samples])

    def normalized(self, adjacency: torch.Tensor):
        scale = torch.diag(adjacency.sum(dim=0).rsqrt())
        return torch.mm(  # expect: DP163
            scale,
            torch.mm(adjacency, scale),  # hint: DP163
        )


def fold(convolution: torch.nn.Linear, norm: torch.nn.BatchNorm1d):
    scale = torch.diag(norm.weight)
    return torch.mm(scale, convolution.weight)  # hint: DP163


folded = fold(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8))


def fused(convolution: torch.nn.Conv2d, norm: torch.nn.BatchNorm2d):
    joined = torch.nn.Conv2d(3, 3, 1)
    scale = torch.diag(norm.weight.div(torch.sqrt(norm.eps + norm.running_var)))
    joined.weight.copy_(torch.mm(scale, convolution.weight.view(3, -1)).view(joined.weight.shape))  # hint: DP163
    return joined


def reflected(u: torch.Tensor, v: torch.Tensor):
    flip = torch.diag(torch.tensor([1.0, 1.0, -1.0], device=u.device))
    return (v.T @ flip) @ u.T


def scaled(weights: torch.Tensor, batches):
    return [torch.diag(weights) @ batch for batch in batches]  # expect: DP163
