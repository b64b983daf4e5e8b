import matplotlib.pyplot as plt
import torch
import torch.nn as nn
from torch.utils.tensorboard import SummaryWriter
from torchvision.utils import save_image


def every_step(model: nn.Module, loader, criterion, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.save(model.state_dict(), "model.pt")  # expect: DP405


def pictures(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    writer = SummaryWriter()
    for i, (x, y) in enumerate(loader):
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        save_image(x, "x.png")  # expect: DP405
        plt.savefig("loss.png")  # expect: DP405
        for name, weight in model.named_parameters():
            writer.add_histogram(name, weight, i)
        writer.add_histogram("x", x, i)  # expect: DP405
        writer.add_scalar("loss", loss.item(), i)  # hint: DP405
        if i % 50 == 0:
            writer.add_image("x", x[0], i)


def one_step(model, batch, optimizer):
    loss = model(batch).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss


def through_a_function(model, loader, optimizer):
    while True:
        for batch in loader:
            one_step(model, batch, optimizer)
            torch.save(model.state_dict(), "model.pt")  # expect: DP405


def fine(model: nn.Module, loader, criterion, optimizer: torch.optim.Optimizer, best):
    for epoch in range(100):
        for step, (x, y) in enumerate(loader):
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            if step % 100 == 0:
                torch.save(model.state_dict(), "model.pt")
            if loss < best:
                torch.save(model.state_dict(), "best.pt")
        torch.save(model.state_dict(), "model.pt")


def whole_data_at_once(model: nn.Module, x, y, criterion, optimizer: torch.optim.Optimizer, args):
    for epoch in range(args.epochs):
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.save(model.state_dict(), "model.pt")


def convert(paths):
    for path in paths:
        torch.save(torch.load(path, weights_only=True), path + ".pt")


def early(model, loader, optimizer):
    for step, batch in enumerate(loader):
        one_step(model, batch, optimizer)
        if step % 100:
            continue
        torch.save(model.state_dict(), "model.pt")


def counted_steps(model, optimizer, batches, steps):
    for step in range(steps):
        loss = model(batches[step]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.save(model.state_dict(), "last.pt")  # expect: DP405


class Hook:
    def after_batch(self, run):
        pass

    def after_epoch(self, run):
        pass


class Keeper(Hook):
    def after_batch(self, run):
        torch.save(run.model.state_dict(), "last.pt")  # expect: DP405

    def after_epoch(self, run):
        torch.save(run.model.state_dict(), "epoch.pt")


class Run:
    def __init__(self, model, hooks):
        self.model = model
        self.hooks = hooks
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def fit(self, batches, epochs):
        for _ in range(epochs):
            for x in batches:
                self.optimizer.zero_grad()
                self.model(x).mean().backward()
                self.optimizer.step()
                for hook in self.hooks:
                    hook.after_batch(self)
            for hook in self.hooks:
                hook.after_epoch(self)


def run(model: nn.Module, batches):
    Run(model, [Keeper()]).fit(batches, 100)
