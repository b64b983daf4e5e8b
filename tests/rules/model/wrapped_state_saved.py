import os

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

PATH = "compiled.pt"


def train(step):
    model = nn.Linear(8, 2)
    model = nn.DataParallel(model).cuda()  # hint: DP240
    step(model)
    torch.save(model.state_dict(), "model.pth")  # expect: DP876


def train_distributed(step, folder):
    model = DistributedDataParallel(nn.Linear(8, 2))
    step(model)
    torch.save({"epoch": 3, "model": model.state_dict()}, os.path.join(folder, "ddp.pt"))  # expect: DP451, DP876


def train_compiled(step):
    model = torch.compile(nn.Linear(8, 2))
    step(model)
    torch.save(model.state_dict(), PATH)  # expect: DP876


def predict():
    model = nn.Linear(8, 2)
    model.load_state_dict(torch.load("model.pth", weights_only=True))
    return model.eval()


def predict_distributed(folder):
    model = nn.Linear(8, 2)
    state = torch.load(os.path.join(folder, "ddp.pt"), weights_only=True)
    model.load_state_dict(state["model"])
    return model.eval()


def predict_compiled():
    model = nn.Linear(8, 2)
    model.load_state_dict(torch.load(PATH, weights_only=True))
    return model.eval()


def inner(step):
    model = nn.DataParallel(nn.Linear(8, 2))  # hint: DP240
    step(model)
    torch.save(model.module.state_dict(), "model.pth")


def other_file(step):
    model = DistributedDataParallel(nn.Linear(8, 2))
    step(model)
    torch.save(model.state_dict(), "other.pth")  # expect: DP451
    torch.save(model.state_dict(), "wrapped.pth")  # expect: DP451


def resume():
    model = DistributedDataParallel(nn.Linear(8, 2))
    model.load_state_dict(torch.load("wrapped.pth", weights_only=True))
    return model


def plain(step):
    model = nn.Linear(8, 2)
    step(model)
    torch.save(model.state_dict(), "model.pth")


def under_a_name(step):
    model = DistributedDataParallel(nn.Linear(8, 2))
    step(model)
    state = model.state_dict()  # expect: DP876
    torch.save(state, "model.pth")  # expect: DP451
