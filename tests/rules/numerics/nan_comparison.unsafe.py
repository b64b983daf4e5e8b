import math

import numpy as np
import torch


def fires(x, loss):
    a = np.isnan(x)  # expect: DP705
    b = not math.isnan(loss)  # expect: DP705
    c = torch.isnan(loss)  # expect: DP705
    d = ~np.isnan(np.zeros(3))  # expect: DP705
    e = math.isnan(x)  # expect: DP705
    return a, b, c, d, e


def silent(x, name, nan):
    a = np.isnan(x)
    b = x is np.nan
    c = name == "nan"
    d = x == float("inf")
    e = x != x
    f = x == nan
    g = x < np.nan
    return a, b, c, d, e, f, g
