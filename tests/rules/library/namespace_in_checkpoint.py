import argparse

import torch

args = argparse.ArgumentParser().parse_args()


def save(model, path, epoch):
    torch.save({"model": model.state_dict(), "args": args}, path)  # hint: DP309
    torch.save({"model": model.state_dict(), "args": vars(args)}, path)
    torch.save({"model": model.state_dict(), "epoch": epoch}, path)
    state = dict(model=model.state_dict(), args=args)  # hint: DP309
    torch.save(state, path)


def load(model, path):
    model.load_state_dict(torch.load(path, map_location="cpu")["model"])  # expect: DP306
