import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

x = torch.randn(4, 10, 16)
images = torch.randn(4, 3, 32, 32)


def grid_last():
    return F.grid_sample(images, torch.zeros(4, 2, 16, 16), align_corners=False)  # expect: DP602


def grid_batch():
    return F.grid_sample(images, torch.zeros(1, 16, 16, 2), align_corners=False)  # expect: DP602


def matrices():
    return F.affine_grid(torch.zeros(4, 3, 2), images.size(), align_corners=False)  # expect: DP602


def similar():
    return nn.CosineSimilarity()(torch.randn(4, 8), torch.randn(4, 9))  # expect: DP602


def similar_function():
    return F.cosine_similarity(torch.randn(4, 8), torch.randn(5, 8))  # expect: DP602


def siamese():
    return F.pairwise_distance(torch.randn(8, 64), torch.randn(8, 32))  # expect: DP602


def triplet():
    return nn.TripletMarginLoss()(torch.randn(4, 8), torch.randn(4, 8), torch.randn(4, 9))  # expect: DP602


def lengths():
    return pack_padded_sequence(x, torch.tensor([10, 9, 8]), batch_first=True)  # expect: DP602


def lengths_of_time_first():
    return pack_padded_sequence(x, [10, 9, 8, 7])  # expect: DP602


def distances():
    return torch.cdist(torch.randn(4, 8), torch.randn(5, 9))  # expect: DP602


def sum_of_product():
    return torch.addmm(torch.zeros(4), torch.zeros(3, 4), torch.zeros(5, 4))  # expect: DP602


def bias_of_product():
    return torch.zeros(5).addmm(torch.zeros(3, 4), torch.zeros(4, 6))  # expect: DP602


def between():
    return torch.lerp(torch.zeros(3), torch.ones(4), 0.5)  # expect: DP602


def rows():
    return torch.vstack([torch.zeros(3), torch.zeros(4)])  # expect: DP602


def sides():
    return torch.hstack([torch.zeros(3, 2), torch.zeros(4, 2)])  # expect: DP602


def list_of_tensors():
    return torch.tensor([x, x])  # expect: DP602


def silent(grid, other, count):
    F.grid_sample(images, grid, align_corners=False)
    places = F.affine_grid(torch.zeros(4, 2, 3), images.size(), align_corners=False)
    sampled = F.grid_sample(images, places, align_corners=False) + images
    F.cosine_similarity(torch.randn(4, 1, 8), torch.randn(1, 5, 8), dim=-1) + torch.rand(4, 5)
    F.pairwise_distance(torch.randn(4, 8), torch.randn(1, 8)) + torch.rand(4)
    F.cosine_similarity(other, torch.randn(5, 8))
    pack_padded_sequence(x, torch.tensor([10, 9, 8, 7]), batch_first=True)
    pack_padded_sequence(x, count, batch_first=True)
    torch.cdist(torch.randn(4, 8), torch.randn(5, 8)) + torch.rand(4, 5)
    torch.addmm(torch.zeros(6), torch.zeros(3, 4), torch.zeros(4, 6)) + torch.rand(3, 6)
    torch.lerp(torch.zeros(3), torch.ones(3), 0.5)
    torch.vstack([torch.zeros(3), torch.zeros(2, 3)])
    torch.tensor([x.sum(), x.mean()])
    return sampled
