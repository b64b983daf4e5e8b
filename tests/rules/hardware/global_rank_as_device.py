import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def from_group(net):
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.cuda.set_device(rank)  # expect: DP527
    return DDP(net.cuda(rank), device_ids=[rank])


def from_environment(net):
    rank = int(os.environ["RANK"])
    return DDP(net, device_ids=[rank])  # expect: DP527


def get_rank():
    if not dist.is_initialized():
        return 0
    return dist.get_rank()


def by_helper(net):
    device = torch.device(f"cuda:{get_rank()}")  # expect: DP527
    return net.to(device)


class Trainer:
    def __init__(self, net):
        self.rank = int(os.getenv("RANK", "0"))
        self.local_rank = int(os.getenv("LOCAL_RANK", "0"))
        self.net = net

    def start(self):
        self.net.to("cuda:{}".format(self.rank))  # expect: DP527

    def start_right(self):
        self.net.to(f"cuda:{self.local_rank}")


def right(net, rank, device):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    torch.cuda.set_device(dist.get_rank() % torch.cuda.device_count())
    net = net.to(f"cuda:{local_rank}")
    net = net.cuda(rank)
    net = net.to(device)
    if dist.get_rank() == 0:
        print("first")
    group = dist.new_group([0, 1])
    print(torch.device("cuda", dist.get_rank(group)))
    return DDP(net, device_ids=[local_rank], output_device=local_rank)
