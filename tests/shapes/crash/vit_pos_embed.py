# torch 1.13: RuntimeError: The size of tensor a (65) must match the size of tensor b (64) at non-singleton dimension 1
import torch
import torch.nn as nn


class PatchEmbed(nn.Module):
    def __init__(self, img=32, patch=4, chans=3, dim=64):
        super().__init__()
        self.n = (img // patch) ** 2
        self.proj = nn.Conv2d(chans, dim, kernel_size=patch, stride=patch)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class ViT(nn.Module):
    def __init__(self, classes=10, dim=64, depth=2):
        super().__init__()
        self.patch = PatchEmbed(dim=dim)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.zeros(1, self.patch.n, dim))  # fixed: self.pos = nn.Parameter(torch.zeros(1, self.patch.n + 1, dim))
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(dim, 4, dim * 2, batch_first=True) for _ in range(depth))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.patch(x)
        cls = self.cls.expand(x.shape[0], -1, -1)
        x = torch.cat((cls, x), dim=1)
        x = x + self.pos  # expect: DP602
        for blk in self.blocks:
            x = blk(x)
        return self.head(self.norm(x)[:, 0])


vit = ViT()
print(vit(torch.randn(2, 3, 32, 32)).shape)
