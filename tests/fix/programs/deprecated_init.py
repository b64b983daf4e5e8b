# DP302
import torch
import torch.nn.init as init
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(2, 3)
init.xavier_uniform(layer.weight)
init.constant(layer.bias, 0.5)
print(layer.weight, layer.bias)
nn.init.kaiming_normal(
    layer.weight,  # the only one
    nonlinearity="relu",
)
print(layer.weight)
