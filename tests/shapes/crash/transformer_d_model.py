# torch 1.13: AssertionError: was expecting embedding dimension of 512, but got 256
import torch
import torch.nn as nn

encoder_layer = nn.TransformerEncoderLayer(d_model=512, nhead=8)
encoder = nn.TransformerEncoder(encoder_layer, num_layers=2)
src = torch.rand(10, 4, 256)  # fixed: src = torch.rand(10, 4, 512)
out = encoder(src)  # expect: DP601
