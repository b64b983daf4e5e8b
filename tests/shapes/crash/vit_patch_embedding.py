# torch 1.13: RuntimeError: The size of tensor a (37) must match the size of tensor b (36) at non-singleton dimension 1
import torch
from torch import nn


class PatchEmbed(nn.Module):
    def __init__(self, img_size=224, patch_size=16, in_chans=3, embed_dim=192):
        super().__init__()
        self.num_patches = (img_size // patch_size) ** 2
        self.proj = nn.Conv2d(in_chans, embed_dim, patch_size, patch_size)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class ViT(nn.Module):
    def __init__(self, img_size=224):
        super().__init__()
        self.patch_embed = PatchEmbed(img_size)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, 192))
        self.pos_embed = nn.Parameter(torch.zeros(1, self.patch_embed.num_patches, 192))  # fixed: self.pos_embed = nn.Parameter(torch.zeros(1, self.patch_embed.num_patches + 1, 192))

    def forward(self, x):
        x = self.patch_embed(x)
        cls = self.cls_token.expand(x.shape[0], -1, -1)
        x = torch.cat((cls, x), dim=1)
        return x + self.pos_embed  # expect: DP602


ViT(96)(torch.randn(2, 3, 96, 96))
