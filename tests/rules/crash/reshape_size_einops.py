import torch
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange
from torch import nn

images = torch.rand(2, 3, 30, 32)


def patches(size):
    return rearrange(images, "b c (h p) (w q) -> b (h w) (p q c)", p=size, q=size)  # expect: DP603


def heads_given(x):
    return rearrange(x, "b n (h d) -> b h n d", h=5, d=8)  # expect: DP603


def dimensions():
    return rearrange(images, "b c (h w) -> b c h w", h=3)  # expect: DP604


def one_sided():
    return rearrange(images, "b c h w -> b (h w) d")  # expect: DP603


def not_one(x):
    return repeat(x, "() d -> b d", b=5)  # expect: DP603


def size_of_new_axis(x):
    return repeat(x, "b d -> b n d")  # expect: DP603


def two_unknown_parts(x):
    return rearrange(x, "(b n) d -> b n d")  # expect: DP603


patches(4)
heads_given(torch.rand(2, 7, 64))
not_one(torch.rand(3, 8))
nn.Linear(4, 5)(reduce(images, "b c h w -> b c", "mean"))  # expect: DP601
nn.Sequential(Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4), nn.Linear(48, 4))(images)  # expect: DP603
nn.Sequential(Rearrange("b c h w -> b (h w) c"), nn.Linear(30, 4))(images)  # expect: DP601


class Attention(nn.Module):
    def __init__(self, dim, heads=8):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=self.heads) for t in self.to_qkv(x).chunk(3, dim=-1))  # expect: DP603
        return self.out(rearrange(q + k + v, "b h n d -> b n (h d)"))


class Turned(nn.Module):
    def forward(self, x):
        x = rearrange(x, "b n (h d) -> b h n d", h=8)
        return x.permute(0, 2, 1)  # expect: DP604


Attention(64)(torch.rand(2, 7, 64))
Attention(60)(torch.rand(2, 7, 60))  # eight heads do not divide 60


def silent(x, size, given, pattern, **axes):
    rearrange(images, "b c (h p) (w q) -> b (h w) (p q c)", p=2, q=4)
    rearrange(images, "b ... -> b (...)")
    rearrange(images, "b c (h p) w -> b c h p w", p=size)
    rearrange(images, "b c (h p) w -> b c h p w", **axes)
    rearrange(images, pattern, p=4)
    rearrange([torch.rand(3, 4), torch.rand(3, 4)], "n a b -> a (n b)")
    rearrange(x, "(b n) d -> b n d", n=given)
    rearrange(torch.rand(7, 1), "b 1 -> b")
    repeat(torch.rand(1, 8), "() d -> b d", b=5)
    repeat(torch.rand(4, 8), "b d -> b n d", n=3)
    reduce(images, "b c (h 2) (w 2) -> b c h w", "max")
    return nn.Linear(960, 5)(rearrange(images, "... h w -> ... (h w)"))
