import argparse
import random

import numpy as np
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=None)
parser.add_argument("--gpu", type=int)
parser.add_argument("--other-seed", type=int, default=0)
parser.add_argument("--text-gpu")
args = parser.parse_args()

if args.seed:  # hint: DP996
    random.seed(args.seed)
    torch.manual_seed(args.seed)
if args.gpu:  # expect: DP996
    torch.cuda.set_device(args.gpu)


def seeded(seed=None):
    seed = seed or random.randint(0, 100)  # hint: DP996
    np.random.seed(seed)


def placed(model: torch.nn.Module, gpu=None, fast=False):
    if fast and gpu:  # expect: DP996
        return model.to(torch.device(f"cuda:{gpu}"))
    return model


def device(gpu=None):
    if gpu:  # expect: DP996
        return torch.device("cuda", gpu)
    return torch.device("cpu")


if args.other_seed:
    torch.manual_seed(args.other_seed)
if args.text_gpu:
    torch.cuda.set_device(args.text_gpu)
if args.seed is not None:
    torch.manual_seed(args.seed)


def right(model: torch.nn.Module, seed=None, gpu=None, name=None, first=0):
    if gpu is not None:
        model = model.cuda(gpu)
    if name:
        print(name)
    if seed:
        print(seed)
    if first:
        torch.manual_seed(first)
    if gpu:
        model = model.cuda(gpu)
    else:
        model = model.cuda()
    return model
