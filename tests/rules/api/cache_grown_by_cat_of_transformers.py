# generate() of Transformers decides how the cache of such a model is kept.
import torch
import torch.nn.functional as F
from torch import nn
from transformers import PreTrainedModel


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.qkv = nn.Linear(size, 3 * size)

    def forward(self, x, past=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        if past is not None:
            k = torch.cat([past[0], k], dim=1)  # hint: DP180
            v = torch.cat([past[1], v], dim=1)
        past = (k, v)
        return F.scaled_dot_product_attention(q, k, v), past


class Model(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.attention = Attention(config.hidden_size)

    def forward(self, x, past=None):
        return self.attention(x, past)
