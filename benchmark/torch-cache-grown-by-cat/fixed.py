import torch
from torch import nn

BATCH = 4
SIZE = 256
LAYERS = 2
TOKENS = 300
VOCABULARY = 500


class CachedAttention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.qkv = nn.Linear(size, 3 * size)
        self.register_buffer("keys", torch.zeros(BATCH, TOKENS, size))
        self.register_buffer("values", torch.zeros(BATCH, TOKENS, size))
        self.used = 0

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        end = self.used + x.shape[1]
        self.keys[:, self.used:end] = k
        self.values[:, self.used:end] = v
        self.used = end
        # The last 32 tokens are attended to; the rest is kept for the next turn of the conversation.
        recent = slice(max(end - 32, 0), end)
        keys, values = self.keys[:, recent], self.values[:, recent]
        weights = torch.softmax(q @ keys.transpose(1, 2) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, SIZE)
        self.layers = nn.ModuleList(CachedAttention(SIZE) for _ in range(LAYERS))
        self.out = nn.Linear(SIZE, VOCABULARY)

    def forward(self, token):
        x = self.embedding(token)
        for layer in self.layers:
            x = x + layer(x)
        return self.out(x[:, -1])


torch.manual_seed(0)
model = Decoder().eval()
token = torch.randint(VOCABULARY, (BATCH, 1))
logits = []
with torch.no_grad():
    for position in range(TOKENS):
        scores = model(token)
        token = (token + position) % VOCABULARY
        logits.append(scores.mean(dim=1))

result = torch.stack(logits)
