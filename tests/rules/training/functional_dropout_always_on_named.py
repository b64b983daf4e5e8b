# A probability under a name, as an argument of a helper, and in settings.
from dataclasses import dataclass

import torch.nn.functional as F
from torch import nn


@dataclass
class Settings:
    heads: int = 8
    dropout: float = 0.1


class Named(nn.Module):
    def __init__(self, settings: Settings):
        super().__init__()
        self.rate = settings.dropout

    def forward(self, q, k, v):
        rate = self.rate
        return F.scaled_dot_product_attention(q, k, v, dropout_p=rate, is_causal=True)  # expect: DP863


class Chosen(nn.Module):
    def __init__(self, settings: Settings):
        super().__init__()
        self.rate = settings.dropout

    def forward(self, q, k, v):
        rate = self.rate if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, dropout_p=rate, is_causal=True)


def attend(q, k, v, rate):
    return F.scaled_dot_product_attention(q, k, v, dropout_p=rate)  # expect: DP863


class Helped(nn.Module):
    def __init__(self, settings=Settings()):
        super().__init__()
        self.settings = settings

    def forward(self, q, k, v):
        return attend(q, k, v, self.settings.dropout)


def attend_in_mode(q, k, v, rate):
    return F.scaled_dot_product_attention(q, k, v, dropout_p=rate)


class HelpedInMode(nn.Module):
    def __init__(self, settings=Settings()):
        super().__init__()
        self.settings = settings

    def forward(self, q, k, v):
        return attend_in_mode(q, k, v, self.settings.dropout if self.training else 0.0)
