# Modules, losses, optimizers, models and compiled functions that are built again in every step, call or request.
import torch
from fastapi import FastAPI
from flask import Flask
from functools import lru_cache
from torch import nn
from transformers import AutoModel, AutoTokenizer, pipeline

app = Flask(__name__)
api = FastAPI()


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, size)

    def forward(self, x):
        return self.layer(x)


class Shift(nn.Module):
    def forward(self, x):
        return x + 1


class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.blocks = nn.ModuleList([self.make(size) for _ in range(2)])

    def make(self, size):
        return Block(size)

    def forward(self, x):
        x = Block(self.size)(x)  # expect: DP236
        x = Shift()(x)
        return self.project(x)

    def project(self, x):
        layer = nn.Linear(self.size, 3).to(x.device)  # expect: DP236
        return layer(x)

    def loss(self, x, y):
        return nn.CrossEntropyLoss()(self(x), y)


def train(model, train_loader):
    for x, y in train_loader:
        optimizer = torch.optim.Adam(model.parameters())  # expect: DP814
        loss = nn.CrossEntropyLoss()(model(x), y)  # hint: DP236
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def step(model, x, y):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)  # expect: DP814
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()


def train_by_steps(model, train_loader):
    for x, y in train_loader:
        step(model, x, y)


@app.route("/classify", methods=["POST"])
def classify():
    classifier = pipeline("sentiment-analysis")  # expect: DP205
    return classifier("text")


@api.post("/embed")
def embed(text: str):
    model, tokenizer = load()
    return model(**tokenizer(text))


def load():
    model = AutoModel.from_pretrained("bert-base-uncased")  # expect: DP205
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")  # expect: DP205
    return model, tokenizer


@lru_cache
def load_once():
    return AutoModel.from_pretrained("bert-base-uncased")


@api.get("/cached")
def cached(text: str):
    return load_once()(text)


@api.get("/chosen")
def chosen(name: str):
    return AutoModel.from_pretrained(name)


@api.get("/fast")
def fast(x: float):
    compiled = torch.compile(Net(3))  # expect: DP234
    return compiled(torch.tensor([x] * 3))


@app.get("/lazy")
def lazy():
    global loaded
    if loaded is None:
        loaded = AutoModel.from_pretrained("bert-base-uncased")
    return loaded


loaded = None


def grid_search(sizes, train_loader):
    for size in sizes:
        model = Block(size)
        optimizer = torch.optim.Adam(model.parameters())
        for x, y in train_loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
