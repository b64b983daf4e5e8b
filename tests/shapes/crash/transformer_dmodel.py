# torch 1.13: RuntimeError: The size of tensor a (128) must match the size of tensor b (512) at non-singleton dimension 2
import math
import torch
import torch.nn as nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=500):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        pos = torch.arange(0, max_len).float().unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe.unsqueeze(1))

    def forward(self, x):
        return x + self.pe[:x.size(0)]  # expect: DP602


class LM(nn.Module):
    def __init__(self, ntoken, d_model, nhead, nlayers):
        super().__init__()
        self.emb = nn.Embedding(ntoken, d_model)
        self.pos = PositionalEncoding(512)  # fixed: self.pos = PositionalEncoding(d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead, 256)
        self.enc = nn.TransformerEncoder(layer, nlayers)
        self.dec = nn.Linear(d_model, ntoken)

    def forward(self, src):
        x = self.pos(self.emb(src))
        return self.dec(self.enc(x))


lm = LM(1000, 128, 4, 2)
print(lm(torch.randint(0, 1000, (35, 8))).shape)
