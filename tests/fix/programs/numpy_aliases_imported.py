# DP301
import numpy
import torch
from numpy import infty, product

limits = (-infty, infty)
print(limits, product([1, 2, 3]), numpy.infty, torch.tensor(limits))
