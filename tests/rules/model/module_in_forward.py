import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.inner = nn.Linear(n, n)
        self.lazy = None
        self.kernel = torch.ones(1, 1, 3, 3)

    def forward(self, x, other):
        x = nn.Linear(self.n, self.n)(x)  # expect: DP236
        x = nn.LayerNorm(self.n).to(x.device)(x)  # expect: DP236
        conv = nn.Conv2d(3, 3, 3)  # expect: DP236
        x = conv(x)
        x = nn.Dropout(0.5)(x)  # expect: DP236
        x = nn.BatchNorm2d(3, affine=False)(x)  # expect: DP236
        x = nn.Softmax(dim=-1)(x)  # hint: DP236
        x = nn.LayerNorm(self.n, elementwise_affine=False)(x)  # hint: DP236
        loss = nn.CrossEntropyLoss()(x, other)  # hint: DP236
        return self.inner(x), loss

    def fixed_kernel(self):
        return nn.Linear(self.n, self.n)


class Silent(nn.Module):
    def __init__(self, n, kernel=None, state=None):
        super().__init__()
        self.kernel, self.state = kernel, state
        self.layer = nn.Linear(n, n)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        if self.lazy is None:
            self.lazy = nn.Linear(x.shape[1], 3)
        conv = nn.Conv2d(1, 1, 3, bias=False)  # expect: DP236
        conv.weight.data = self.kernel
        x = conv(x)
        made = nn.Linear(3, 3)
        made.load_state_dict(self.state)
        x = made(x)
        returned = nn.Linear(3, 3)
        return self.drop(self.layer(x)), returned

    def build(self):
        return nn.Linear(3, 3)


def forward(x):
    return nn.Linear(3, 3)(x)


class NoModule:
    def forward(self, x):
        return nn.Linear(3, 3)(x)


class Blurred(nn.Module):
    def forward(self, x):
        blur = nn.Conv2d(1, 1, 5, bias=False)  # expect: DP236
        nn.init.constant_(blur.weight, 1 / 25)
        for p in blur.parameters():
            p.requires_grad_(False)
        return blur(x)
