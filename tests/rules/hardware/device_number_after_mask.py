import os

import torch


def by_text(gpu):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)
    return torch.device(f"cuda:{gpu}")  # expect: DP519


def by_format(args):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(args.gpu) if not args.many else args.devices
    return torch.device("cuda:{}".format(args.gpu))  # expect: DP519


def by_number(args):
    os.environ["CUDA_VISIBLE_DEVICES"] = f"{args.gpu}"
    torch.cuda.set_device(args.gpu)  # expect: DP519


def first(gpu):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)
    return torch.device("cuda:0")


def unmasked(gpu):
    return torch.device(f"cuda:{gpu}")


def other(gpu, rank):
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu
    return torch.device(f"cuda:{rank}")
