"""The penalty goes through several helpers before it is walked."""
import torch
from torch import autograd


def slope(critic, points):
    points = points.requires_grad_(True)
    scores = critic(points)
    slopes = autograd.grad(scores.sum(), points)[0]  # expect: DP870
    lengths = slopes.flatten(1).norm(2, dim=1)
    return ((lengths - 1) ** 2).mean()


def slope_with_graph(critic, points):
    points = points.requires_grad_(True)
    scores = critic(points)
    slopes = autograd.grad(scores.sum(), points, create_graph=True)[0]
    lengths = slopes.flatten(1).norm(2, dim=1)
    return ((lengths - 1) ** 2).mean()


def slope_to_show(critic, points):
    points = points.requires_grad_(True)
    scores = critic(points)
    slopes = autograd.grad(scores.sum(), points)[0]  # right: a number to look at
    lengths = slopes.flatten(1).norm(2, dim=1)
    return ((lengths - 1) ** 2).mean()


def objective(critic, real, fake, weight):
    distance = critic(fake).mean() - critic(real).mean()
    extra = slope(critic, real)
    return distance + weight * extra, distance.detach()


def right_objective(critic, real, fake, weight):
    distance = critic(fake).mean() - critic(real).mean()
    extra = slope_with_graph(critic, real)
    shown = slope_to_show(critic, real)
    return distance + weight * extra, shown


def train(critic, optimizer, pairs, weight):
    for real, fake in pairs:
        optimizer.zero_grad()
        total, distance = objective(critic, real, fake, weight)
        total.backward()
        optimizer.step()
        optimizer.zero_grad()
        total, shown = right_objective(critic, real, fake, weight)
        total.backward()
        optimizer.step()
