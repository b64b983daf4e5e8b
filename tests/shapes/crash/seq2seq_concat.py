# torch 1.13: RuntimeError: Tensors must have same number of dimensions: got 2 and 3
import torch
import torch.nn as nn
import torch.nn.functional as F


class AttnDecoder(nn.Module):
    def __init__(self, hidden, out, max_len=12):
        super().__init__()
        self.embedding = nn.Embedding(out, hidden)
        self.attn = nn.Linear(hidden * 2, max_len)
        self.combine = nn.Linear(hidden * 2, hidden)
        self.gru = nn.GRU(hidden, hidden)
        self.out = nn.Linear(hidden, out)

    def forward(self, token, hidden, enc):
        emb = self.embedding(token).view(1, 1, -1)
        w = F.softmax(self.attn(torch.cat((emb[0], hidden), 1)), dim=1)  # expect: DP604  # fixed: w = F.softmax(self.attn(torch.cat((emb[0], hidden[0]), 1)), dim=1)
        ctx = torch.bmm(w.unsqueeze(0), enc.unsqueeze(0))
        x = torch.cat((emb[0], ctx[0]), 1)
        x = F.relu(self.combine(x).unsqueeze(0))
        x, hidden = self.gru(x, hidden)
        return F.log_softmax(self.out(x[0]), dim=1), hidden


dec = AttnDecoder(32, 50)
h = torch.zeros(1, 1, 32)
enc = torch.randn(12, 32)
y, h = dec(torch.tensor([3]), h, enc)
