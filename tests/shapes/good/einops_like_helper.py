import torch


def split_heads(x, heads):
    b, t, d = x.shape
    return x.view(b, t, heads, d // heads).permute(0, 2, 1, 3)


def merge_heads(x):
    b, h, t, d = x.shape
    return x.permute(0, 2, 1, 3).contiguous().view(b, t, h * d)


def rearrange(x, pattern, **sizes):
    left, right = (side.split() for side in pattern.split("->"))
    return x.permute(*(left.index(name) for name in right))


x = torch.randn(2, 6, 24)
assert merge_heads(split_heads(x, 4)).shape == x.shape
assert rearrange(torch.zeros(1, 2, 3, 4), "b c h w -> b h w c").shape == (1, 3, 4, 2)
torch.nn.Linear(2, 5)(rearrange(torch.zeros(1, 2, 3, 4), "b c h w -> b h w c"))
