import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.inner = nn.Linear(n, n)

    def forward(self, x):
        return self.inner(x)


class Fires(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(depth)])  # expect: DP237
        self.two = nn.ModuleList([nn.Conv2d(3, 3, 3), nn.Conv2d(3, 3, 3)])  # expect: DP237
        self.blocks = nn.ModuleList()  # expect: DP237
        for i in range(depth):
            self.blocks.append(Block(8))
        self.heads = nn.ModuleDict()  # expect: DP237
        for name in ("a", "b"):
            self.heads[name] = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
        self.named = {"x": nn.Linear(8, 8), "y": nn.Linear(8, 8)}  # expect: DP237

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        for block in self.blocks:
            x = block(x)
        return self.two[0](x), self.heads["a"](x), self.named["x"](x)


class Silent(nn.Module):
    def __init__(self, depth, teacher):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(depth)])
        self.wrapped = []
        for _ in range(depth):
            self.wrapped.append(nn.Linear(8, 8))
        self.wrapped = nn.ModuleList(self.wrapped)
        self.parts = [nn.Linear(8, 8), nn.ReLU()]
        self.net = nn.Sequential(*self.parts)
        self.hidden = [Block(8)]
        self.teacher = [teacher, teacher]
        self.first = nn.Linear(8, 8)
        self.second = nn.Linear(8, 8)
        self.both = [self.first, self.second]
        self.activations = [nn.ReLU(), nn.Tanh()]
        self.sizes = [1, 2, 3]
        self.never_used = [nn.Linear(8, 8), nn.Linear(8, 8)]
        layers = [nn.Linear(8, 8), nn.Linear(8, 8)]
        self.sequence = nn.Sequential(*layers)
        self.losses = []

    def forward(self, x):
        for layer in self.both + self.activations + self.hidden + self.parts + self.teacher:
            x = layer(x)
        self.losses.append(self.net(x))  # expect: DP280
        return self.sequence(x) + sum(layer(x) for layer in self.wrapped), self.sizes


class Registered(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = []
        for i in range(depth):
            layer = nn.Linear(8, 8)
            self.add_module(str(i), layer)
            self.layers.append(layer)
        self.others = [nn.Linear(8, 8) for _ in range(depth)]
        for i, layer in enumerate(self.others):
            setattr(self, f"other{i}", layer)

    def forward(self, x):
        for layer in self.layers + self.others:
            x = layer(x)
        return x


class NoModule:
    def __init__(self, depth):
        self.layers = [nn.Linear(8, 8) for _ in range(depth)]

    def forward(self, x):
        return self.layers[0](x)


class Placeholders(nn.Module):
    def __init__(self, shapes):
        super().__init__()
        self.inputs = []
        for shape in shapes:
            self.inputs.append(nn.Parameter(torch.empty(shape)))

    def forward(self, given):
        self.inputs = [given]
        return self.inputs[0] * 2
