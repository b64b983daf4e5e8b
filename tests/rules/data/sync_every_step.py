import torch
import torch.nn as nn
from torch.utils.tensorboard import SummaryWriter


def train(model: nn.Module, loader, criterion, optimizer: torch.optim.Optimizer, device):
    model.to(device)
    total = 0.0
    values = []
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()  # expect: DP402
        values.append(loss.item())
    return total, values


def chains(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    out = []
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        out.append(loss.detach().cpu().numpy())  # expect: DP402
    return out


def fine(model: nn.Module, loader, criterion, optimizer: torch.optim.Optimizer):
    total = 0.0
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.detach()
        if step % 100 == 0:
            print(loss.item())
    return total.item()


def evaluation(model: nn.Module, loader):
    correct = 0
    for x, y in loader:
        with torch.no_grad():
            correct += (model(x).argmax(1) == y).sum().item()  # expect: DP402
    return correct


# A writer that is known, gradients one by one, and steps that are counted.
def logged(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    writer = SummaryWriter()
    for step, (x, y) in enumerate(loader):
        loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        writer.add_scalar("loss", loss, step)  # expect: DP402  # hint: DP405


def norm_of(parameters):
    total = 0.0
    for p in parameters:
        if p.grad is not None:
            total += p.grad.norm().item() ** 2
    return total


def clipped(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
        loss.backward()
        norm = norm_of(model.parameters())  # expect: DP402
        optimizer.step()
        optimizer.zero_grad()


def drawn(model: nn.Module, buffer, optimizer: torch.optim.Optimizer):
    losses = []
    for step in range(100000):
        x, y = buffer.sample(64)
        loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())  # expect: DP402
    return losses


def whole(model: nn.Module, x, y, optimizer: torch.optim.Optimizer):
    x, y = x.cuda(), y.cuda()
    for epoch in range(1000):
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(epoch, loss.item())  # hint: DP402


class Conditioned(nn.Module):
    def forward(self, x: torch.Tensor, style: torch.Tensor):
        x = x.cuda()
        if style != None:  # a bool of Python
            x = x + style
        return x


# Which codebook is predicted is a number of Python, though another model with the same caller gets tensors.
class Books(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.embeddings = nn.ModuleList([nn.Embedding(8, 4) for _ in range(count)])

    def forward(self, book, idx):
        idx = idx.cuda()
        assert book > 0
        parts = torch.stack([embed(idx) for embed in self.embeddings], dim=-1)
        return parts[:, :, : book + 1].sum(dim=-1)


def all_books(count, idx: torch.Tensor):
    books = Books(count).cuda()
    with torch.no_grad():
        return [books(book, idx) for book in range(1, count)]


# Which model the attribute holds is not known, and one of them takes a number.
class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.zeros(1, 512, 4))

    def forward(self, x: torch.Tensor, start: int = 0):
        return x.cuda() + self.table[:, start : start + x.size(1)]


class Masked(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor):
        return x.cuda() * mask


def embedded(x: torch.Tensor, mask: torch.Tensor, with_mask):
    embed = Masked() if with_mask else Positions()
    embed = embed.cuda()
    with torch.no_grad():
        return embed(x, mask)
