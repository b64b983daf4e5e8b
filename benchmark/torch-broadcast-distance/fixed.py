import torch

POINTS = 2000
CENTERS = 400
DIMENSION = 128


def assign(points, centers):
    distances = torch.cdist(points, centers).pow(2)
    return distances.argmin(dim=1), distances


torch.manual_seed(0)
points = torch.randn(POINTS, DIMENSION)
centers = points[:CENTERS].clone()
labels, distances = assign(points, centers)
result = [labels[:CENTERS].tolist(), distances.sqrt().mean().item()]
