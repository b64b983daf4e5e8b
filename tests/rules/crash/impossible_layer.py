from torch import nn

nn.MultiheadAttention(100, 8)  # expect: DP611
nn.MultiheadAttention(96, 8)
nn.Conv2d(10, 20, 3, groups=4)  # expect: DP611
nn.Conv2d(12, 20, 3, groups=4)
nn.GroupNorm(8, 30)  # expect: DP611
