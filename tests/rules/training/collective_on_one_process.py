import os

import torch
import torch.distributed as dist
from accelerate import Accelerator
from lightning.fabric import Fabric
from torch.distributed.fsdp import FullStateDictConfig, StateDictType
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def reduced_by_one(total, rank):
    if rank == 0:
        dist.all_reduce(total)  # expect: DP847
        print(total.item())


def barrier_in_branch(weights, path):
    if dist.get_rank() == 0:
        torch.save(weights, path)
        dist.barrier()  # expect: DP847


def others_return(loss):
    if dist.get_rank() != 0:
        return None
    dist.all_reduce(loss)  # expect: DP847
    return loss.item()


def under_a_name(loss, world):
    master_process = int(os.environ["RANK"]) == 0
    if master_process and world > 1:
        dist.reduce(loss, dst=0)  # expect: DP847


def is_first():
    return not dist.is_initialized() or dist.get_rank() == 0


def asked_by_function(objects):
    if is_first():
        gathered = [None] * dist.get_world_size()
        dist.all_gather_object(gathered, objects)  # expect: DP847


def shards(net, rank, path):
    model = FSDP(net)
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=True)):
        if rank == 0:
            torch.save(model.state_dict(), path)  # expect: DP847


def main_process(values):
    accelerator = Accelerator()
    if accelerator.is_main_process:
        values = accelerator.gather_for_metrics(values)  # expect: DP847
        accelerator.wait_for_everyone()  # expect: DP847
        print(values.mean())


class Loop:
    def __init__(self):
        self.accelerator = Accelerator()

    def finish(self, total):
        if not self.accelerator.is_main_process:
            return
        print(self.accelerator.reduce(total))  # expect: DP847


def with_fabric(values):
    fabric = Fabric(devices=2)
    if fabric.global_rank == 0:
        print(fabric.all_reduce(values))  # expect: DP847


def mean_over_all(values):
    dist.all_reduce(values)
    return values / dist.get_world_size()


def through_function(values, local_rank):
    if local_rank == 0:
        print(mean_over_all(values))  # expect: DP847


# ---- silent


def right(total, rank):
    dist.all_reduce(total)
    if rank == 0:
        print(total.item())


def first_does_it_before_others(rank, prepare):
    if rank != 0:
        dist.barrier()
    prepare()
    if rank == 0:
        dist.barrier()


def local_rank_first(args, prepare):
    if args.local_rank not in [-1, 0]:
        torch.distributed.barrier()
    prepare()
    if args.local_rank == 0:
        torch.distributed.barrier()


def both_branches(x, rank):
    if rank == 0:
        dist.broadcast(x, 0)
    else:
        x = torch.empty(4)
        dist.broadcast(x, 0)
    return x


def part_of_them(x, rank, group):
    if rank == 0:
        dist.all_reduce(x, group=group)


def other_test(x, step):
    if step == 0:
        dist.all_reduce(x)


def matrix(x, rank):
    if torch.linalg.matrix_rank(x) == 0:
        dist.all_reduce(x)


def saves(model, rank, path):
    if rank == 0:
        torch.save(model.state_dict(), path)


def accelerated(values):
    accelerator = Accelerator()
    values = accelerator.gather(values)
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        print(values.mean())


def served(model, server):
    if torch.distributed.get_rank() == 0:
        server.serve()
        torch.distributed.broadcast(torch.tensor([1]), src=0)
    elif torch.distributed.get_rank() > 0:
        model.generate_other_ranks()


# What is reduced only for tensors is not reached with the number that is passed here.
def mean_of_all(value):
    dist.all_reduce(value)
    return value / dist.get_world_size()


def as_number(value, is_distributed):
    if is_distributed and isinstance(value, torch.Tensor):
        value = mean_of_all(value)
    return float(value)


def log_ratio(ratio, is_distributed):
    if dist.get_rank() == 0:
        print(as_number(ratio, is_distributed))


def always_reduced(value):
    return mean_of_all(value).item()


def log_mean(value):
    if dist.get_rank() == 0:
        print(always_reduced(value))  # expect: DP847


def gathered(value, rank):
    values = [None, None] if rank == 0 else None
    dist.gather_object(value, values)
    return values


def gather_everywhere(value):
    rank = dist.get_rank()
    if rank == 0:
        print(gathered(value, rank))
    else:
        gathered(value, rank)
