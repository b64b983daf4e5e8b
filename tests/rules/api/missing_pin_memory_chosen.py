# Devices that a method, a branch or a setting chooses.
import argparse

import torch
from torch.utils.data import DataLoader, TensorDataset


class Experiment:
    def __init__(self, args):
        self.args = args
        self.device = self.pick_device()

    def pick_device(self):
        if self.args.use_gpu:
            device = torch.device("cuda:{}".format(self.args.gpu))
        else:
            device = torch.device("cpu")
        return device

    def train(self, dataset: TensorDataset, model, optimizer):
        loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4)  # expect: DP132
        for x, y in loader:
            loss = ((model(x.to(self.device)) - y.to(self.device)) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


def train_by_branch(dataset: TensorDataset, model, optimizer):
    if torch.cuda.is_available():
        name = "cuda"
    else:
        name = "cpu"
    device = torch.device(name)
    loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4)  # expect: DP132
    for x, y in loader:
        loss = ((model(x.to(device)) - y.to(device)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
parser.add_argument("--other-device", default="cpu")
args = parser.parse_args()


def train_by_setting(dataset: TensorDataset, model, optimizer):
    device = torch.device(args.device)
    loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4)  # expect: DP132
    for x, y in loader:
        loss = ((model(x.to(device)) - y.to(device)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def train_on_cpu_by_default(dataset: TensorDataset, model, optimizer):
    device = torch.device(args.other_device)
    loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4)  # hint: DP132
    for x, y in loader:
        loss = ((model(x.to(device)) - y.to(device)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def train_where_told(dataset: TensorDataset, model, optimizer, device):
    loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4)  # hint: DP132
    for x, y in loader:
        loss = ((model(x.to(device)) - y.to(device)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def train_in_process(dataset: TensorDataset, model, optimizer):
    device = torch.device(args.device)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)  # hint: DP130, DP132
    for x, y in loader:
        loss = ((model(x.to(device)) - y.to(device)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
