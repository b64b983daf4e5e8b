import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.functional import dropout


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.p = 0.5

    def forward(self, x):
        x = F.dropout(x, p=0.5)  # expect: DP863
        x = F.dropout(self.fc(x), self.p)  # expect: DP863
        x = nn.functional.dropout(x)  # expect: DP863
        x = dropout(x, 0.1)  # expect: DP863
        x = F.alpha_dropout(x, 0.1)  # expect: DP863
        x = torch.nn.functional.dropout2d(input=x, p=0.1, inplace=False)  # expect: DP863
        return self.tail(x)

    def tail(self, x):
        return helper(F.dropout(x, 0.2))  # expect: DP863


def helper(x):
    return F.dropout(x, 0.2)  # hint: DP863


class Base(nn.Module):
    pass


class Derived(Base):
    def forward(this, x):
        return [F.dropout(part, 0.2) for part in x]  # expect: DP863


class Fine(nn.Module):
    def forward(self, x, options):
        x = F.dropout(x, 0.5, training=self.training)
        x = F.dropout(x, 0.5, self.training)
        x = F.dropout(x, 0.5, True)
        x = F.dropout(x, p=0.0)
        x = F.dropout(x, **options)
        if self.training:
            x = F.dropout(x, 0.5)
        x = F.dropout(x, 0.5) if self.training else x
        return x


class MonteCarloNet(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.5)


class Prenet(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.5)


def augment(x):
    return F.dropout(x, 0.5)


class Attention(nn.Module):
    def __init__(self, size, dropout=0.0):
        super().__init__()
        self.dropout = dropout
        self.project = nn.Linear(size, size)

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(self.project(q), k, v, dropout_p=self.dropout)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention(8)

    def forward(self, x):
        return self.attention(x, x, x)
