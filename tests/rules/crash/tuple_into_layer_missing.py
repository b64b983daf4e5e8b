import torch
from torch import nn

q = torch.randn(10, 8, 32)
scores, labels = torch.randn(3, 4), torch.tensor([0, 1, 2])
criterion = nn.CrossEntropyLoss()


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(32, 4)
        self.decoder = nn.TransformerDecoderLayer(32, 4)

    def forward(self, x):
        y, _ = self.attention(x)  # expect: DP610
        return self.decoder(x + y)  # expect: DP610


Block()(q)
criterion(scores)  # expect: DP610
nn.MSELoss()(scores)  # expect: DP610
nn.MultiheadAttention(32, 4)(q, q, q)
nn.MultiheadAttention(32, 4)(query=q, key=q, value=q)
criterion(scores, labels)
criterion(scores, target=labels)
criterion(input=scores, target=labels)
criterion(*(scores, labels))


def unknown(pair, options):
    criterion(*pair)
    return criterion(scores, **options)
