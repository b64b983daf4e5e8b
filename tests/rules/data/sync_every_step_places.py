# Each training step reads values back in several places.
import math

import pytorch_lightning as pl
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader
from tqdm import tqdm
from transformers import Trainer

device = torch.device("cuda")
net = nn.Linear(3, 3).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def several(batches):
    running = 0.0
    right = 0
    for x, y in batches:
        x, y = x.to(device), y.to(device)
        out = net(x)
        loss = F.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item()  # expect: DP402
        right += (out.argmax(1) == y).sum().item()
    return running, right


def in_many_ways(batches, writer):
    bar = tqdm(batches)
    for step, (x, y) in enumerate(bar):
        out = net(x.to(device))
        loss = F.mse_loss(out, y.to(device))
        if torch.isnan(loss):
            raise ValueError
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        writer.add_scalar("loss", loss, step)  # hint: DP405
        bar.set_postfix(loss=loss)
        print(f"{loss:.3f}")
        hard = out[out > 0.5]
        value = float(loss)  # expect: DP402
        if math.isnan(value):
            break
        print(hard)


def norm_of_gradients():
    total = 0.0
    for parameter in net.parameters():
        total += parameter.grad.norm(2).item() ** 2
    return total**0.5


def clipped(batches):
    for x, y in batches:
        F.mse_loss(net(x.to(device)), y.to(device)).backward()
        norm_of_gradients()  # expect: DP402
        optimizer.step()
        optimizer.zero_grad()


class Contrastive(nn.Module):
    def forward(self, a, b):
        distance = (a - b).pow(2).sum(1)
        positive = distance.nonzero()
        if distance.max() > 10:
            distance = distance / 10
        return distance.mean() + positive.sum()


contrastive = Contrastive()


def in_the_loss(batches):
    for a, b in batches:
        loss = contrastive(net(a.to(device)), net(b.to(device)))  # expect: DP402
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


class Module(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def training_step(self, batch, index):
        out = self.body(batch)
        loss = out.sum()
        print(loss.item(), out.mean().item())  # expect: DP402
        return loss

    def validation_step(self, batch, index):
        print(self.body(batch).sum().item(), self.body(batch).mean().item())  # expect: DP250


class Weighted(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        loss = net(inputs["x"]).sum()
        self.history.append(loss.item())  # expect: DP402
        if loss > 100:
            loss = loss / 2
        return loss  # expect: DP944


# ---- Silent, or a hint ---------------------------------------------------------------------------------------------------


def one(batches):
    running = 0.0
    for x, y in batches:
        loss = F.cross_entropy(net(x.to(device)), y.to(device))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        running += loss.item()  # expect: DP402
    return running


def seldom(batches):
    for step, (x, y) in enumerate(batches):
        loss = F.cross_entropy(net(x.to(device)), y.to(device))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 100 == 0:
            print(loss.item(), loss.max().item())
        if step % 100 != 0:
            continue
        print(loss.item())


def of_the_host(dataset):
    seen = 0
    for x, y in DataLoader(dataset, num_workers=4, pin_memory=True):
        seen += y.sum().item() + x.max().item()
        weights = torch.tensor([1.0, 2.0])
        if weights.sum() > 1:
            seen += weights.max().item()
        loss = F.cross_entropy(net(x.to(device)), y.to(device))  # expect: DP132
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return seen


def on_the_device(batches):
    total = torch.zeros((), device=device)
    for x, y in batches:
        x = x.to(device)
        mask = x > 0
        loss = (F.mse_loss(net(x), y.to(device), reduction="none") * mask).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.detach()
        x[mask] = 0
    return total.item()


def acts(env, policy: nn.Module):
    state = env.reset()
    for _ in range(1000):
        probabilities = policy(state.to(device))
        action = probabilities.argmax().item()  # hint: DP402
        state, reward = env.step(action)
        loss = -probabilities.max() * reward
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(loss.item())


def either_way(batches, scaler, use_amp):
    losses = []
    for x, y in batches:
        if use_amp:
            with torch.autocast("cuda"):
                loss = F.cross_entropy(net(x.to(device)), y.to(device))
                losses.append(loss.item())
        else:
            loss = F.cross_entropy(net(x.to(device)), y.to(device))
            losses.append(loss.item())  # expect: DP402
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return losses


def resumed(batches, skipped):
    total = 0.0
    for x, y in batches:
        if skipped > 0:
            skipped -= 1
            continue
        loss = F.cross_entropy(net(x.to(device)), y.to(device))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()  # expect: DP402
    return total
