import torch

POINTS = 2000
CENTERS = 400
DIMENSION = 128


def assign(points, centers):
    distances = (points.unsqueeze(1) - centers.unsqueeze(0)).pow(2).sum(dim=-1)
    return distances.argmin(dim=1), distances


torch.manual_seed(0)
points = torch.randn(POINTS, DIMENSION)
centers = points[:CENTERS].clone()
labels, distances = assign(points, centers)
result = [labels[:CENTERS].tolist(), distances.sqrt().mean().item()]
