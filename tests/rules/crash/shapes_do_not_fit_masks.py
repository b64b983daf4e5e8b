import torch
from torch import nn


class Language(nn.Module):
    def __init__(self, tokens=120, size=32):
        super().__init__()
        self.embed = nn.Embedding(tokens, size)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(size, 4, 64), 2)
        self.head = nn.Linear(size, tokens)

    def forward(self, tokens):
        length = tokens.size(1)
        mask = torch.triu(torch.full((length, length), float("-inf")), diagonal=1)
        return self.head(self.encoder(self.embed(tokens), mask=mask))  # expect: DP602


Language()(torch.randint(0, 120, (8, 24)))

layer = nn.TransformerEncoderLayer(32, 4, batch_first=True)
x, t = torch.randn(8, 10, 32), torch.randn(8, 6, 32)
layer(x, src_key_padding_mask=torch.zeros(10, 8) > 0)  # expect: DP602
layer(x, torch.zeros(8, 10, 10))  # expect: DP602
nn.TransformerEncoder(layer, 2)(x, torch.zeros(8, 8))  # expect: DP602
decoder = nn.TransformerDecoderLayer(32, 4, batch_first=True)
decoder(t, x, memory_mask=torch.zeros(10, 6))  # expect: DP602
decoder(t, torch.randn(8, 10, 16))  # expect: DP601
decoder(t, torch.randn(4, 10, 32))  # expect: DP602
nn.TransformerDecoder(decoder, 2)(t, memory=x, tgt_mask=torch.zeros(10, 10))  # expect: DP602
both = nn.Transformer(32, 4, 1, 1, batch_first=True)
both(x, t, tgt_mask=torch.zeros(10, 10))  # expect: DP602
both(x, torch.randn(7, 6, 32))  # expect: DP602
both(x, torch.randn(8, 6, 31))  # expect: DP601
attention = nn.MultiheadAttention(32, 4)
q = torch.randn(10, 8, 32)
attention(q, q, q, attn_mask=torch.zeros(8, 8))  # expect: DP602
attention(q, q, q, key_padding_mask=torch.zeros(10, 8) > 0)  # expect: DP602

layer(x, src_mask=torch.zeros(10, 10))
layer(x, src_key_padding_mask=torch.zeros(8, 10) > 0)
layer(x, torch.zeros(32, 10, 10))
nn.TransformerEncoder(layer, 2)(x, torch.zeros(10, 10), torch.zeros(8, 10) > 0)
decoder(t, x, tgt_mask=torch.zeros(6, 6), memory_mask=torch.zeros(6, 10))
nn.TransformerDecoder(decoder, 2)(tgt=t, memory=x)
both(x, t, tgt_mask=torch.zeros(6, 6), src_key_padding_mask=torch.zeros(8, 10) > 0)
attention(q, q, q, attn_mask=torch.zeros(10, 10), key_padding_mask=torch.zeros(8, 10) > 0)
attention(torch.randn(10, 32), torch.randn(7, 32), torch.randn(7, 32), attn_mask=torch.zeros(10, 7))


def of_any(model, length):
    model(x, torch.zeros(length, length))
    return layer(x, torch.zeros(length, length))
