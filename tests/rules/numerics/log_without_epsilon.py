import numpy as np
import tensorflow as tf
import torch
import torch.nn.functional as F


def fires(y, probs, y_pred):
    a = -(y * torch.log(probs)).sum()  # hint: DP702
    b = y * tf.math.log(y_pred) + (1 - y) * tf.math.log(1 - y_pred)  # hint: DP702
    return a, b


def guarded(y, probs):
    probs = probs.clamp(min=0.001)
    return -(y * torch.log(probs)).sum()


def with_epsilon(y, probs, eps):
    return -(y * torch.log(probs + eps)).sum()


def others(y, x, scores, probs):
    a = y * torch.log(x)
    b = y * F.log_softmax(scores, 1)
    c = y * np.log(probs)
    d = torch.log(probs)
    return a, b, c, d
