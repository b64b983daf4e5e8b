import torch


def window_partition(x, size):
    B, H, W, C = x.shape
    x = x.view(B, H // size, size, W // size, size, C)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, size, size, C)


def window_reverse(windows, size, H, W):
    B = int(windows.shape[0] / (H * W / size / size))
    x = windows.view(B, H // size, W // size, size, size, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(B, H, W, -1)


x = torch.rand(2, 14, 21, 8)
assert window_reverse(window_partition(x, 7), 7, 14, 21).shape == x.shape
