# needs a GPU, not verified: torch does not notice the mix with the device "meta"
import torch
import torch.nn as nn

device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')


def causal(n):
    return torch.triu(torch.ones(n, n), diagonal=1).bool()


class Attn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        s = q @ k.transpose(1, 2)
        s = s.masked_fill(causal(x.size(1)), float('-inf'))  # expect: DP608  # fixed: s = s.masked_fill(causal(x.size(1)).to(x.device), float('-inf'))
        return s.softmax(-1) @ v


net = Attn(16).to(device)
print(net(torch.randn(2, 5, 16).to(device)).shape)
