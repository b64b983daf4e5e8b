# torch 1.13: ValueError: Using a target size (torch.Size([4, 1, 28, 28])) that is different to the input size (torch.Size([4, 1, 27, 27])) is deprecated. Please ensure they have the same size.
import torch
import torch.nn as nn
import torch.nn.functional as F

encoder = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2), nn.ReLU())
decoder = nn.Sequential(
    nn.ConvTranspose2d(16, 8, 3, stride=2),
    nn.ReLU(),
    nn.ConvTranspose2d(8, 1, 3, stride=2),  # fixed: nn.ConvTranspose2d(8, 1, 3, stride=2, output_padding=1),
    nn.Sigmoid(),
)
x = torch.rand(4, 1, 28, 28)
reconstruction = decoder(encoder(x))
loss = F.binary_cross_entropy(reconstruction, x)  # expect: DP605
