import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.keys = nn.Linear(width, width)
        self.query = nn.Linear(width, width)
        self.score = nn.Linear(width, 1)

    def forward(self, memory, state):
        keys = self.keys(memory)  # expect: DP252
        query = self.query(state)
        weights = torch.softmax(self.score(torch.tanh(keys + query.unsqueeze(1))).squeeze(2), dim=1)
        return (memory * weights.unsqueeze(2)).sum(dim=1)


class Decoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attention = Attention(width)
        self.cell = nn.GRUCell(width, width)

    def forward(self, memory, state, lengths):
        states = []
        for t in range(max(lengths)):
            count = sum(length > t for length in lengths)
            context = self.attention(memory[:count], state[:count])
            state = self.cell(context, state[:count])
            states.append(state)
        return states


class Lookup:
    def __init__(self, first, second, radius):
        self.first = first
        self.second = second
        self.radius = radius

    def __call__(self, places):
        r = self.radius
        x = torch.linspace(-r, r, 2 * r + 1, device=places.device)
        y = torch.linspace(-r, r, 2 * r + 1, device=places.device)
        window = torch.stack(torch.meshgrid(y, x), dim=-1)  # expect: DP252
        first = self.first.permute(0, 2, 3, 1).contiguous()  # expect: DP252
        return F.grid_sample(first, places + window)


class Flow(nn.Module):
    def __init__(self, width, radius):
        super().__init__()
        self.encoder = nn.Conv2d(3, width, 3)
        self.update = nn.Conv2d(width, 2, 3)
        self.radius = radius

    def forward(self, one, two, places, iterations):
        lookup = Lookup(self.encoder(one), self.encoder(two), self.radius)
        for _ in range(iterations):
            places = places + self.update(lookup(places))
        return places


# ---- Silent ----------------------------------------------------------------------------------------------------------


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.keys = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x, memory):
        return self.out(x) @ self.keys(memory).transpose(1, 2)  # each layer has its own weights


class Stack(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList([Layer(width) for _ in range(depth)])

    def forward(self, x, memory):
        for layer in self.layers:
            x = layer(x, memory)
        return x


class Chunked(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)

    def part(self, x):
        return self.inner(x)

    def forward(self, x, size):
        out = []
        for start in range(0, len(x), size):
            out.append(self.part(x[start : start + size]))
        return torch.cat(out)


class Cached(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.kept = None

    def keys(self, memory):
        if self.kept is not None:
            return self.kept
        self.kept = self.inner(memory)
        return self.kept

    def again(self, memory):
        if self.kept is None:
            self.kept = self.inner(memory)
        return self.kept

    def forward(self, memory, x, steps):
        for _ in range(steps):
            x = x + self.keys(memory) + self.again(memory)
        return x


class Weighted(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.position = nn.Parameter(torch.zeros(1, width))
        self.inner = nn.Linear(width, width)

    def forward(self, x):
        return x + self.inner(self.position)  # the weights alone: they change when it is trained


@torch.no_grad()
def evaluate(model: Weighted, n):
    total = 0.0
    for i in range(n):
        total += model(torch.ones(2, 4) * i).sum()
    return total


class Trained(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)

    def forward(self, features):
        return self.inner(features)


def train(model: Trained, optimizer: torch.optim.Optimizer, features, epochs):
    for _ in range(epochs):
        optimizer.zero_grad()
        model(features).mean().backward()
        optimizer.step()


class Changed(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)

    def step(self, memory, x):
        return self.inner(memory) + x

    def forward(self, memory, x, steps):
        for i in range(steps):
            x = self.step(memory, x)
            memory[:, i] = x
        return x

    def by_hand(self, memory, x, steps):
        for _ in range(steps):
            x = self.step(memory, x)
            memory.mul_(0.5)
        return x


# Each iteration multiplies what another process has sent.
class Neighbours:
    def __init__(self, rank, size, known):
        self.rank = rank
        self.size = size
        self.known = known

    def distances(self, features, source):
        received = features if self.rank == source else torch.zeros_like(features)
        torch.distributed.broadcast(received, source)
        return torch.mm(received, self.known)

    def own_distances(self, features, source):
        return torch.mm(features, self.known)  # expect: DP252

    def search(self, features: torch.Tensor):
        with torch.no_grad():
            found = [self.distances(features, rank) for rank in range(self.size)]
            for rank in range(self.size):
                found.append(self.distances(features, rank))
                found.append(self.own_distances(features, rank))
        return found
