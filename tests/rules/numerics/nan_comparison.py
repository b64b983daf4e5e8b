import math

import numpy as np
import torch


def fires(x, loss):
    a = x == np.nan  # expect: DP705
    b = loss != float("nan")  # expect: DP705
    c = torch.nan == loss  # expect: DP705
    d = np.zeros(3) != np.nan  # expect: DP705
    e = x == math.nan  # expect: DP705
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
