import torch
import torch.nn as nn
import torch.nn.functional as F


def train(model, loader):
    model = model.cuda().half()  # expect: DP522
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x.half()).float(), y).backward()
        optimizer.step()


def converted(loader):
    model = nn.Linear(8, 8)
    model.to("cuda", dtype=torch.float16)  # expect: DP522
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()


# ---- Silent


def inference(model, loader):
    model = model.cuda().half().eval()
    with torch.no_grad():
        return [model(x.half()) for x in loader]


def frozen(base, head, loader):
    base = base.cuda().half()
    optimizer = torch.optim.Adam(head.parameters())
    for x, y in loader:
        with torch.no_grad():
            features = base(x.half())
        optimizer.zero_grad()
        F.mse_loss(head(features), y).backward()
        optimizer.step()


def wider(model, loader):
    model = model.to(torch.bfloat16)
    return torch.optim.Adam(model.parameters())
