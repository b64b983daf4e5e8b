from torch import nn


def make_heads(dim, sizes):
    return {name: nn.Linear(dim, size) for name, size in sizes.items()}


class FromMethod(nn.Module):
    def __init__(self, sizes, dim):
        super().__init__()
        self.sizes = sizes
        self.heads = self.build(dim)  # expect: DP237

    def build(self, dim):
        heads = {name: nn.Linear(dim, size) for name, size in self.sizes.items()}
        return heads

    def forward(self, name, x):
        return self.heads[name](x)


class FromFunction(nn.Module):
    def __init__(self, sizes, dim):
        super().__init__()
        self.heads = make_heads(dim, sizes)  # expect: DP237

    def forward(self, name, x):
        return self.heads[name](x)


class FromName(nn.Module):
    def __init__(self, depth, dim):
        super().__init__()
        layers = []
        for _ in range(depth):
            layers.append(nn.Linear(dim, dim))
        self.layers = layers  # expect: DP237

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Registered(nn.Module):
    def __init__(self, depth, dim, sizes):
        super().__init__()
        layers = []
        for _ in range(depth):
            layers.append(nn.Linear(dim, dim))
        self.net = nn.Sequential(*layers)
        self.layers = layers
        self.heads = nn.ModuleDict(make_heads(dim, sizes))
        self.more = self.build(dim)

    def build(self, dim):
        heads = {name: nn.Linear(dim, dim) for name in ("a", "b")}
        return nn.ModuleDict(heads)

    def forward(self, name, x):
        for layer in self.layers:
            x = layer(x)
        return self.heads[name](x) + self.more[name](x)


class Named(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.layers = self.build(dim)

    def build(self, dim):
        layers = []
        for i in range(3):
            layer = nn.Linear(dim, dim)
            self.add_module(f"layer{i}", layer)
            layers.append(layer)
        return layers

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
