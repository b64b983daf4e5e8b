import torch
from torch import nn

x = torch.randn(1, 2, 17, 23)
assert nn.Conv2d(2, 4, 3, padding="same", dilation=2)(x).shape == (1, 4, 17, 23)
assert nn.Conv2d(2, 4, (3, 5), (2, 1), (1, 0))(x).shape == (1, 4, 9, 19)
assert nn.MaxPool2d(3, 2, ceil_mode=True)(x).shape == (1, 2, 8, 11)
assert nn.ConvTranspose2d(2, 1, 3, 2, 1, output_padding=1)(x).shape == (1, 1, 34, 46)
assert nn.ReflectionPad2d((1, 2, 3, 4))(x).shape == (1, 2, 24, 26)
assert nn.AvgPool2d((2, 3), stride=1)(x).shape == (1, 2, 16, 21)
assert nn.AdaptiveMaxPool2d((None, 5))(x).shape == (1, 2, 17, 5)
assert nn.Upsample(size=(20, 30))(x).shape == (1, 2, 20, 30)
assert nn.PixelUnshuffle(1)(x).shape == x.shape
