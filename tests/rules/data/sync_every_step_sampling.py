import torch
from torch import nn


@torch.no_grad()
def denoise(net: nn.Module, steps: int):
    x = torch.randn(4, 3, 32, 32, device="cuda")
    times = torch.linspace(1, 0, steps, device="cuda")
    for i in range(steps - 1):
        if times[i + 1] > 0.05:  # expect: DP402
            x = x + torch.randn_like(x)
        x = x - net(x, times[i].expand(4))
    return x.cpu()


@torch.no_grad()
def denoise_with_numbers(net: nn.Module, steps: int):
    x = torch.randn(4, 3, 32, 32, device="cuda")
    times = torch.linspace(1, 0, steps).tolist()
    for i in range(steps - 1):
        if times[i + 1] > 0.05:
            x = x + torch.randn_like(x)
        x = x - net(x, torch.full((4,), times[i], device="cuda"))
    return x.cpu()


def predict(net, x):
    with torch.no_grad():
        return net(x)


def stepped(net: nn.Module, steps: int):
    x = torch.randn(4, 3, 32, 32, device="cuda")
    change = []
    for _ in range(steps):
        y = predict(net, x)
        change.append((y - x).abs().mean().item())  # expect: DP402
        x = y
    return x, change


# What the loop needs to know whether it is done.
@torch.no_grad()
def decode(net: nn.Module, token, state, end: int, length: int):
    token = token.cuda()
    scores = []
    for _ in range(length):
        logits, state = net(token, state)
        token = logits.argmax(-1, keepdim=True)
        scores.append(logits.max().item())  # hint: DP402
        if (token == end).all():
            break
    return token, scores


@torch.no_grad()
def decode_numbers(net: nn.Module, token, state, end: int, length: int):
    tokens = []
    for _ in range(length):
        logits, state = net(token.cuda(), state)
        number = logits.argmax(-1).item()
        tokens.append(number)
        if number == end:
            break
        token = token.new_full((1, 1), number)
    return tokens


# Who reads the values wants each of them at once.
@torch.no_grad()
def stream(net: nn.Module, token, state, length: int):
    token = token.cuda()
    for _ in range(length):
        logits, state = net(token, state)
        token = logits.argmax(-1, keepdim=True)
        yield token.item()  # hint: DP402


# Every layer runs once.
@torch.no_grad()
def statistics(layers: nn.ModuleList, x):
    x = x.cuda()
    means = []
    for layer in layers:
        x = layer(x)
        means.append(x.mean().item())
    return means


# Python compares each element.
@torch.no_grad()
def shortest(net: nn.Module, steps: int):
    x = torch.randn(64, 128, device="cuda")
    best = 0
    for _ in range(steps):
        x = torch.tanh(net(x))
        best = best + min(x.mean(dim=1))  # expect: DP402
    return best


# A single pass, and a few of them.
@torch.no_grad()
def twice(net: nn.Module):
    x = torch.randn(64, 128, device="cuda")
    for _ in range(2):
        x = net(x)
        print(x.mean().item())
    return x
