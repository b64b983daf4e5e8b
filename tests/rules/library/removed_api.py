import numpy
import numpy as np
import torch
from numpy import infty  # expect: DP301
from torch import symeig  # expect: DP301


def fires(x):
    a = np.zeros(3, dtype=np.float)  # expect: DP301
    b = numpy.array(x).astype(numpy.bool)  # hint: DP301
    c = torch.symeig(x)
    d = symeig(x)
    e = np.NaN  # expect: DP301
    f = isinstance(x, np.int)  # expect: DP301
    g = np.product(a)  # expect: DP301
    return a, b, c, d, e, f, g, infty


def silent(x, np2):
    a = np.zeros(3, dtype=np.float64)
    b = np.bool_(x)
    c = torch.linalg.eigh(x)
    d = np2.float
    e = x.float
    f = torch.float
    if hasattr(np, "object"):
        f = np.object
    try:
        g = np.float
    except AttributeError:
        g = float
    h = np.float(x) if np.__version__ < "1.20" else float(x)
    return a, b, c, d, e, f, g, h, x.solve(x)


def numpy_version():
    major, minor = np.__version__.split(".")[:2]
    return int(major), int(minor)


def where_version_decides(x):
    found = numpy_version()
    major, minor = found
    if major >= 2 or minor > 20:
        return np.trapezoid(x)
    else:
        return x.astype(np.float)
