import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def first(net):
    dist.init_process_group("nccl")
    return DistributedDataParallel(net.to("cuda:0"))  # expect: DP523


def numbered(net):
    dist.init_process_group("nccl")
    net = net.cuda(0)  # expect: DP523
    return DistributedDataParallel(net)


def own(net):
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    return DistributedDataParallel(net.to("cuda"))


def by_rank(net, rank):
    dist.init_process_group("nccl")
    return DistributedDataParallel(net.to(rank), device_ids=[rank])


def show(image):
    return image.to("cuda:0").mean()
