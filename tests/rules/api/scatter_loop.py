import numpy as np
import tensorflow as tf
import torch


def confusion(targets: torch.Tensor, predictions: torch.Tensor):
    matrix = torch.zeros(10, 10)
    for t, p in zip(targets, predictions):  # expect: DP160
        matrix[t, p] += 1
    for t, p in zip(targets.view(-1), predictions.view(-1)):  # expect: DP160
        matrix[t.long(), p.long()] += 1
    return matrix


def of_lists(labels, guesses):
    matrix = np.zeros((10, 10))
    for label, guess in zip(labels, guesses):  # expect: DP160
        matrix[label, guess] += 1
    return matrix


def one_hot(labels: torch.Tensor, lengths: torch.Tensor):
    target = torch.zeros(len(labels), 10)
    mask = torch.zeros(len(labels), 50)
    for i in range(len(labels)):  # expect: DP160
        target[i, labels[i]] = 1.0
    for i in range(len(labels)):  # expect: DP160
        mask[i, :lengths[i]] = 1
    for i, length in enumerate(lengths.tolist()):  # expect: DP160
        mask[i, :length] = 1
    return target, mask


def messages(x: torch.Tensor, source: torch.Tensor, target: torch.Tensor):
    received = torch.zeros(100, 16)
    for e in range(len(source)):  # expect: DP160
        received[target[e]] += x[source[e]]
    return received


def of_graph(indices, values):
    grid = tf.zeros((100, 100))
    for i in range(len(indices)):
        grid = tf.tensor_scatter_nd_update(grid, [indices[i]], [values[i]])  # expect: DP160
    return grid


def multi_hot(sequences):
    results = np.zeros((len(sequences), 1000))
    for i, sequence in enumerate(sequences):  # hint: DP160
        results[i, sequence] = 1.0
    return results


def silent(images, groups, size, x: torch.Tensor, index: torch.Tensor, counts, grid, n):
    board = np.zeros((size * 8, size * 8))
    for i, image in enumerate(images):
        row, column = i // 8, i % 8
        board[row * size:row * size + size, column * size:column * size + size] = image
    mask = torch.zeros(100, 100)
    for i in range(groups):
        start = 10 * i
        mask[start:start + 10, :start] = 1
    for i in range(n):
        counts[index[i]] += 1
    out = torch.zeros(100)
    for i in range(n):
        out[index[i]] = out[index[i] - 1] + x[i]
    for i in range(4):
        out[index[i]] = 1
    for i in range(n):
        grid = tf.tensor_scatter_nd_update(grid, [[i]], [grid[i - 1]])  # hint: DP121
    for i in range(n):
        grid = tf.tensor_scatter_nd_add(grid, index[..., i:i + 1], x)
    return board, mask, out, grid
