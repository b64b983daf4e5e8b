import argparse

import jax
import tensorflow as tf
import torch
from torch.autograd import gradcheck
from torch.profiler import profile

args = argparse.ArgumentParser().parse_args()
torch.autograd.set_detect_anomaly(True)  # expect: DP136
jax.config.update("jax_debug_nans", True)  # expect: DP136
tf.debugging.enable_check_numerics()  # expect: DP136


def train(model, train_loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch.autograd.detect_anomaly():  # expect: DP136
        for x in train_loader:
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    with profile():  # expect: DP136
        for x in train_loader:
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    for x in train_loader:
        gradcheck(model, x)  # expect: DP136
        model(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def silent(model, train_loader, flag, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.autograd.set_detect_anomaly(False)
    torch.autograd.set_detect_anomaly(flag)
    torch.autograd.set_detect_anomaly(args.debug)
    if flag:
        torch.autograd.set_detect_anomaly(True)
    with profile(schedule=steps):
        for x in train_loader:
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    with profile() as p:
        model(train_loader)
    with torch.autograd.profiler.profile(enabled=flag):
        for x in train_loader:
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    gradcheck(model, train_loader)
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_debug_nans", flag)


def find_anomaly(model, x):
    with torch.autograd.detect_anomaly():
        model(x).backward()
