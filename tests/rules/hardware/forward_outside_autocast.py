import torch
import torch.nn.functional as F
from torch import nn
from torchvision.models import resnet18


class Trainer:
    def __init__(self):
        self.model = resnet18().cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cuda")

    def losses(self, scores, y):
        return {"first": F.cross_entropy(scores, y), "second": scores.pow(2).mean()}

    def predict(self, batch):
        return self.model(batch["x"])  # expect: DP530

    def finish(self, loss):
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def step(self, batch):
        scores = self.predict(batch)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = sum(self.losses(scores, batch["y"]).values())
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def good_step(self, batch):
        with torch.autocast("cuda", dtype=torch.float16):
            scores = self.predict(batch)
            loss = sum(self.losses(scores, batch["y"]).values())
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()


def loop(net: nn.Module, loader, criterion):
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 8)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        out = model(x.cuda())  # expect: DP530
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(out, y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# ---- Silent


class Cast(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    @torch.autocast("cuda", dtype=torch.bfloat16)
    def forward(self, x):
        return self.layer(x)


def own_autocast(loader):
    model = Cast().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        out = model(x.cuda())
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = F.cross_entropy(out, y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def two_models(teacher: nn.Module, loader):
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        x = x.cuda()
        with torch.no_grad():
            wanted = teacher(x)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = F.mse_loss(model(x), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def two_blocks(loader):
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            out = model(x.cuda())
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = F.cross_entropy(out, y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def switched_off(loader):
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        out = model(x.cuda())
        with torch.autocast("cuda", enabled=False):
            loss = F.cross_entropy(out.float(), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def evaluate(model: nn.Module, loader):
    losses = []
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                losses.append(F.cross_entropy(out, y))
    return losses
