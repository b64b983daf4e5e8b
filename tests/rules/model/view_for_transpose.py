import torch
import torch.nn as nn


def channels_first(x: torch.Tensor):
    b, t, d = x.shape
    return x.reshape(b, d, t)  # expect: DP268


def time_first(x: torch.Tensor):
    x = x.float()
    return x.view(x.size(1), x.size(0), -1)  # expect: DP268


def by_shape(x: torch.Tensor):
    return x.reshape(x.shape[1], x.shape[0], x.shape[2])  # expect: DP268


class Encoder(nn.Module):
    def forward(self, x):
        batch, steps, width = x.size()
        x = x.view(steps, batch, width)  # expect: DP268
        return x


def merge_heads(x: torch.Tensor):
    b, h, n, d = x.shape
    return x.reshape(b, n, h * d)  # expect: DP268


def merge_heads_of(x: torch.Tensor):
    y = torch.reshape(x, (x.shape[0], x.shape[2], x.shape[1] * x.shape[3]))  # expect: DP268
    return y


class Merging(nn.Module):
    def forward(self, maps):
        batch, channels, height, width = maps.size()
        rows = maps.contiguous().view(batch, height * width, channels)  # expect: DP268
        columns = maps.view([batch, height, -1])  # hint: DP268
        return rows, columns


# ---- Right


def merged_right(x: torch.Tensor):
    b, h, n, d = x.shape
    y = x.transpose(1, 2).reshape(b, n, h * d)
    return y, x.reshape(b, -1, d), x.reshape(b * h, -1), x.reshape(b, n * h, d), x.view(-1, d), x.reshape(b, h, -1)


def part(x: torch.Tensor):
    b, c, h, w = x.shape
    return x[:, 0].reshape(b, w, h), x.view(b, w, h), x.reshape(b, 3, h * w)


def merged(x: torch.Tensor):
    b, t, d = x.shape
    return x.reshape(b * t, d), x.reshape(b, t * d), x.view(b, t, d), x.reshape(b, t, 8, d // 8)


def permuted(x: torch.Tensor):
    b, t, d = x.shape
    y = x.permute(0, 2, 1)
    return y.reshape(b, d, t)


def again(x: torch.Tensor):
    b, t, d = x.shape
    x = x.transpose(1, 2)
    return x.reshape(b, d, t)


def other(x: torch.Tensor, y: torch.Tensor):
    b, t, d = x.shape
    return y.reshape(b, d, t), x.view(x.size(0), -1)


def relative_shift(x):
    padded = torch.cat([x, x.new_zeros(x.shape[0], 1, *x.shape[2:])], dim=1)
    padded = padded.view(x.shape[1] + 1, x.shape[0], *x.shape[2:])
    return padded[:-1].view_as(x)


def shifted_scores(x, heads):
    batch, heads, queries, positions = x.shape
    x = torch.nn.functional.pad(x, pad=(1, 0))
    x = x.view(batch, heads, -1, queries)
    return x[:, :, 1:].view(batch, heads, queries, positions)


print(relative_shift(torch.tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]])))
print(shifted_scores(torch.rand(1, 2, 16, 31), 2))


# The rows are shifted against each other, as relative attention needs it.
def rows_shifted(scores: torch.Tensor, shift: int):
    b, h, n, m = scores.shape
    scores = torch.reshape(scores, [b, h, m, n])
    scores = scores[:, :, shift:, :]
    return torch.reshape(scores, [b, h, n, m - shift])


def then_flattened(x: torch.Tensor):
    b, t, d = x.shape
    x = x.reshape(b, d, t)  # expect: DP268
    return x.reshape(b, -1)
