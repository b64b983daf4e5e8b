import torch
from torch import nn


class Notes(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embed = nn.Embedding(words, 32)
        self.rnn = nn.LSTM(32, 64, batch_first=True)
        self.out = nn.Linear(64, words)

    def forward(self, x, state=None):
        h, state = self.rnn(self.embed(x), state)
        return self.out(h), state


class BothWays(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embed = nn.Embedding(words, 32)
        self.rnn = nn.LSTM(32, 64, batch_first=True, bidirectional=True)
        self.out = nn.Linear(128, words)

    def forward(self, x):
        h, _ = self.rnn(self.embed(x))
        return self.out(h)


class Attentive(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embed = nn.Embedding(words, 32)
        self.rnn = nn.GRU(32, 64, batch_first=True)
        self.look = nn.MultiheadAttention(64, 4, batch_first=True)
        self.out = nn.Linear(64, words)

    def forward(self, x):
        h, _ = self.rnn(self.embed(x))
        return self.out(self.look(h, h, h)[0])  # expect: DP179


class Sampler:
    def __init__(self, model: Notes):
        self.model = model

    @torch.no_grad()
    def pieces(self, start, length):
        pieces = [start]
        for _ in range(length):
            scores, _ = self.model(torch.cat(pieces, dim=1))  # expect: DP153
            pieces.append(scores[:, -1].argmax(-1, keepdim=True))
        return torch.cat(pieces, dim=1)

    @torch.no_grad()
    def with_state(self, start, length):
        pieces, x, state = [start], start, None
        for _ in range(length):  # hint: DP183
            scores, state = self.model(x, state)
            x = scores[:, -1].argmax(-1, keepdim=True)
            pieces.append(x)
        return torch.cat(pieces, dim=1)


@torch.inference_mode()
def grown(model: Notes, x: torch.Tensor, length: int):
    while x.size(1) < length:
        scores, _ = model(x)  # expect: DP153
        x = torch.cat([x, scores[:, -1:].argmax(-1)], dim=1)
    return x


@torch.no_grad()
def tokens(words: int, length: int):
    model = Notes(words)
    ids = [0]
    for _ in range(length):
        x = torch.tensor([ids])
        scores, _ = model(x)  # expect: DP153
        ids.append(scores[0, -1].argmax().item())
    return ids


# ---- Silent


@torch.no_grad()
def both_ways(model: BothWays, start, length: int):
    pieces = [start]
    for _ in range(length):
        pieces.append(model(torch.cat(pieces, dim=1))[:, -1:].argmax(-1))
    return torch.cat(pieces, dim=1)


@torch.no_grad()
def attentive(model: Attentive, start, length: int):
    pieces = [start]
    for _ in range(length):
        pieces.append(model(torch.cat(pieces, dim=1))[:, -1:].argmax(-1))
    return torch.cat(pieces, dim=1)


@torch.no_grad()
def collected(model: Notes, loader):
    scores = []
    for x in loader:
        out, _ = model(x)
        scores.append(out)
    return torch.cat(scores)


@torch.no_grad()
def last_only(model: Notes, x: torch.Tensor, length: int):
    state, all_of_them = None, [x]
    for _ in range(length):
        scores, state = model(all_of_them[-1], state)
        all_of_them.append(scores[:, -1:].argmax(-1))
    return torch.cat(all_of_them, dim=1)
