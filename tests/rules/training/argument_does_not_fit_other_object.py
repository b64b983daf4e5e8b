import argparse
import importlib

import torch

Engine = importlib.import_module("engines.2.fast").Engine


class Sampler(torch.nn.Module):
    def sample(self, x, steps=3):
        return x * steps


def main(data):
    args = argparse.ArgumentParser().parse_args()
    if args.backend == "engine":
        model = Engine(args)
    elif args.backend == "torch":
        model = Sampler()
    if args.backend == "engine":
        return model.sample(data, packed=True)
    return model.sample(data)


def plain(data):
    model = Sampler()
    return model.sample(data, packed=True)  # expect: DP895
