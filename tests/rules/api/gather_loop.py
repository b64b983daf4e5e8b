import numpy as np
import tensorflow as tf
import torch


def fires(data: torch.Tensor, indices: torch.Tensor, actions: torch.Tensor, columns, n):
    x = torch.stack([data[i] for i in indices])  # expect: DP161
    q = torch.stack([data[i, actions[i]] for i in range(n)])  # expect: DP161
    w = torch.stack([data[i:i + 24] for i in range(n)])  # expect: DP161
    c = torch.stack([data[:, c] for c in columns], dim=1)  # expect: DP161
    rows = []
    for i in range(n):  # expect: DP161
        rows.append(data[i, actions[i]])
    return x, q, w, c, torch.stack(rows)


def of_graph(table: tf.Tensor, columns):
    return tf.stack([table[:, c] for c in columns], axis=1)  # expect: DP161


def unknown(data, indices):
    return torch.stack([data[i] for i in indices])  # hint: DP161


def copied(data: torch.Tensor, n):
    out = torch.zeros(n)
    for i in range(n):  # hint: DP161
        out[i] = data[i, 0]
    return out


def silent(data: torch.Tensor, lengths: torch.Tensor, outputs, batches, keys, n):
    a = torch.stack([outputs[k] for k in ("a", "b", "c")])
    b = torch.stack([data[i] for i in range(4)])
    c = torch.cat([data[i, :lengths[i]] for i in range(n)])
    d = np.concatenate([batch["x"] for batch in batches])
    e = torch.stack([row[0] for row in batches])
    f = [data[i] for i in keys]
    g = torch.stack([data[i] for i in range(n) if i % 2])
    return a, b, c, d, e, f, g


def looked_up(codes: torch.Tensor, indices: torch.Tensor):
    out = torch.empty(indices.numel(), codes.shape[1])
    for position, index in enumerate(indices.flatten()):  # expect: DP161
        out[position] = codes[index]
    return out
