# Functions that are defined under `@torch.compile` again and again.
import torch
from fastapi import FastAPI
from torch import nn

app = FastAPI()


def train(net, loader, optimizer):
    for x, y in loader:

        @torch.compile  # expect: DP234
        def objective(x):
            return nn.functional.cross_entropy(net(x), y)

        objective(x).backward()
        optimizer.step()
        optimizer.zero_grad()


def focal_loss(gamma):
    @torch.compile(mode="max-autotune")  # expect: DP234
    def focal(p):
        return ((1 - p) ** gamma * -p.log()).mean()

    return focal


def train_focal(model, loader, optimizer):
    for x in loader:
        focal_loss(2.0)(model(x)).backward()
        optimizer.step()
        optimizer.zero_grad()


class Net(nn.Module):
    def forward(self, x):
        @torch.compile  # expect: DP234
        def gate(y):
            return torch.sigmoid(x) * y

        return gate(x)


@app.post("/score")
def score(values: list[float]):
    @torch.compile  # expect: DP234
    def softplus(x):
        return torch.log1p(torch.exp(x))

    return softplus(torch.tensor(values)).tolist()


def make_loss(gamma):
    @torch.compile
    def loss(p):
        return ((1 - p) ** gamma * -p.log()).mean()

    return loss


def train_once(model, loader, optimizer):
    loss = make_loss(2.0)
    for x in loader:
        loss(model(x)).backward()
        optimizer.step()
        optimizer.zero_grad()


@torch.compile
def outside(x):
    return x.sin()
