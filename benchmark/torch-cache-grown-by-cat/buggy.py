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
        self.keys = None
        self.values = None

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=1)
            v = torch.cat([self.values, v], dim=1)
        self.keys, self.values = k, v
        # The last 32 tokens are attended to; the rest is kept for the next turn of the conversation.
        weights = torch.softmax(q @ k[:, -32:].transpose(1, 2) / k.shape[-1] ** 0.5, dim=-1)
        return weights @ v[:, -32:]


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
