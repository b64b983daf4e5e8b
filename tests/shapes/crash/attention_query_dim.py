# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (18x512 and 256x512)
import torch
from torch import nn

decoder_dim, encoder_dim = 256, 512
cross = nn.MultiheadAttention(decoder_dim, 8, batch_first=True)  # fixed: cross = nn.MultiheadAttention(decoder_dim, 8, kdim=encoder_dim, vdim=encoder_dim, batch_first=True)
tgt = torch.randn(2, 5, decoder_dim)
memory = torch.randn(2, 9, encoder_dim)
attended, _ = cross(tgt, memory, memory)  # expect: DP601
