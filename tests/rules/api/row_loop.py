import math

import numpy as np
import tensorflow as tf
import torch


def distances(a: torch.Tensor, b: torch.Tensor):
    result = torch.zeros(len(a), len(b))
    for i in range(len(a)):  # expect: DP162
        for j in range(len(b)):
            result[i, j] = torch.norm(a[i] - b[j])
    return result


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor):
    out = torch.zeros_like(q)
    for b in range(q.shape[0]):  # expect: DP162
        for h in range(q.shape[1]):
            scores = q[b, h] @ k[b, h].t() / math.sqrt(8)
            weights = torch.softmax(scores, dim=-1)
            out[b, h] = weights @ v[b, h]  # expect: DP151
    return out


def lists(vectors: tf.Tensor):
    rows = []
    for i in range(vectors.shape[0]):  # expect: DP162
        row = []
        for j in range(vectors.shape[0]):
            row.append(tf.norm(vectors[i] - vectors[j]))
        rows.append(tf.stack(row))
    return tf.stack(rows)


def of_arrays(masks: np.ndarray):
    return np.array([np.sum(mask) for mask in masks])  # expect: DP162


def weighted_loss(y_true, y_pred):
    losses = []
    for i in range(64):  # expect: DP162
        losses.append(tf.reduce_sum(tf.square(y_true[i] - y_pred[i])))
    return tf.reduce_mean(tf.stack(losses))


def compile_model(model: tf.keras.Model):
    model.compile("adam", loss=weighted_loss)


def unknown(a, n):
    result = torch.zeros(n)
    for i in range(n):  # hint: DP162
        result[i] = torch.norm(a[i])
    return result


def silent(a: torch.Tensor, lengths: torch.Tensor, layers, n):
    result = torch.zeros(n)
    state = torch.zeros(16)
    for i in range(n):
        state = torch.tanh(a[i] + state @ state)
        result[i] = state.sum()
    for i in range(n):
        result[i] = a[i, :lengths[i]].mean()
    for i, layer in enumerate(layers):
        result[i] = layer(a[i]).sum()
    for i in range(8):
        result[i] = a[i].sum()
    for i in range(n):
        mask = lengths == i
        result[i] = a[mask].mean()
    means = [a[i].mean() for i in range(n)]
    found = []
    for i in range(n):
        if a[i].sum() > 0:
            found.append(a[i].sum())
    return result, means, torch.stack(found)


def of_lists(values):
    if isinstance(values, list):
        values = torch.stack([torch.stack(value) for value in values])
    else:
        values = torch.tensor(values)
    return values
