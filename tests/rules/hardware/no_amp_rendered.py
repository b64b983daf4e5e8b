"""A scene of parameters that are rendered: there is no product of matrices that fewer bits would make faster."""
import torch
from torch import nn


class Splats(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.places = nn.Parameter(torch.rand(count, 3))
        self.colors = nn.Parameter(torch.rand(count, 3))

    def forward(self, rays):
        near = (rays[:, None] - self.places).square().sum(-1).neg().exp()
        return (near[..., None] * self.colors).sum(1)


def fit(rays, picture):
    scene = Splats(1000).to("cuda")
    optimizer = torch.optim.Adam(scene.parameters())
    for _ in range(500):
        loss = (scene(rays) - picture).square().mean()  # hint: DP513
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return scene
