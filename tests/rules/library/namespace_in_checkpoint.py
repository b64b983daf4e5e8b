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


def save_best(model, path, resumed):
    if resumed:
        best = resumed["best"]
    else:
        best = argparse.Namespace(top1=0, top5=0)
    state = dict(best=best, model=model.state_dict())  # hint: DP309
    torch.save(state, path)


def save_whole(path):
    net = torch.nn.Linear(3, 4)
    torch.save(net, path)  # hint: DP309
    torch.save(dict(net=net, step=3), path)  # hint: DP309
    torch.save(dict(net=net.state_dict(), step=3), path)
    torch.save(net.weight, path)
