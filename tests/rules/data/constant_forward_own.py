import torch
from torch import nn


class TextEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 8)
        self.rnn = nn.GRU(8, 8, batch_first=True)
        self.drop = nn.Dropout(0.1)

    def pool(self, state):
        return nn.functional.normalize(state[-1], dim=-1)

    def forward(self, tokens):
        _, state = self.rnn(self.drop(self.embedding(tokens)))
        return self.pool(state)


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        return self.out(x + torch.randn(x.shape))


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return self.out(x) * self.calls


def classify(encoder: TextEncoder, loader, prompts):
    encoder.eval()
    predictions = []
    with torch.no_grad():
        for images in loader:
            names = encoder(prompts)  # expect: DP441
            predictions.append((images @ names.T).argmax(dim=1))
    return torch.cat(predictions)


# Something else each time.
def several(noisy: Noisy, counting: Counting, x):
    outputs = []
    with torch.no_grad():
        for i in range(100):
            outputs.append(noisy(x) + counting(x))
    return torch.stack(outputs)
