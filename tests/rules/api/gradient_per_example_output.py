"""Jacobians that are computed row by row."""
import tensorflow as tf
import torch


def rows(model: torch.nn.Module, x: torch.Tensor):
    x = x.requires_grad_(True)
    y = torch.tanh(model(x))
    found = []
    for i in range(y.shape[1]):
        found.append(torch.autograd.grad(y[:, i].sum(), x, retain_graph=True)[0])  # expect: DP117
    return torch.stack(found, 1)


def listed(x: torch.Tensor, weights: torch.Tensor):
    y = x @ weights
    return torch.stack([torch.autograd.grad(value, weights, retain_graph=True)[0] for value in y])  # expect: DP117


def through_a_name(errors: torch.Tensor, parameters):
    squares = [torch.zeros_like(p) for p in parameters]
    for i in range(len(errors)):
        loss = errors[i]
        gradients = torch.autograd.grad(loss, parameters, retain_graph=True)  # expect: DP117
        squares = [s + g ** 2 for s, g in zip(squares, gradients)]
    return squares


def divergence(field: torch.Tensor, points: torch.Tensor):
    total = 0.0
    for i in range(points.shape[1]):
        total = total + torch.autograd.grad(field[:, i].sum(), points, create_graph=True)[0][:, i]  # hint: DP117
    return total


def saliency(model: tf.keras.Model, images: tf.Tensor, width):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(images)
        scores = model(images)
        columns = [scores[:, c] for c in range(width)]
    return tf.stack([tape.gradient(column, images) for column in columns], axis=1)  # expect: DP117


def silent(losses, models, tasks: list, y: torch.Tensor, x: torch.Tensor, loader):
    for loss, model in zip(losses, models):
        torch.autograd.grad(loss, list(model.parameters()))
    for task in tasks:  # a few losses that have little in common
        torch.autograd.grad(task, x, retain_graph=True)
    for i in range(len(losses)):  # by their name, one for each of a few tasks
        torch.autograd.grad(losses[i], x, retain_graph=True)
    for i in range(2):
        torch.autograd.grad(y[:, i].sum(), x, retain_graph=True)
    for i in range(100):  # another input each time
        step = x + i
        torch.autograd.grad(y[i], step, retain_graph=True)
    for i in range(100):  # the same output
        torch.autograd.grad(y.sum(), x, retain_graph=True)
