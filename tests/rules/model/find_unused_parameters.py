import torch
from accelerate import DistributedDataParallelKwargs
from pytorch_lightning.strategies import DDPStrategy
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import TrainingArguments


def fires(net, rank):
    a = DDP(net, device_ids=[rank], find_unused_parameters=True)  # hint: DP241
    b = torch.nn.parallel.DistributedDataParallel(
        net, find_unused_parameters=True, broadcast_buffers=False  # hint: DP241
    )
    c = DDPStrategy(find_unused_parameters=True)  # hint: DP241
    d = DistributedDataParallelKwargs(find_unused_parameters=True)  # hint: DP241
    e = TrainingArguments("out", ddp_find_unused_parameters=True)  # hint: DP241
    return a, b, c, d, e


def silent(net, rank, args, flag=True):
    a = DDP(net, device_ids=[rank])
    b = DDP(net, find_unused_parameters=False)
    c = DDP(net, find_unused_parameters=args.find_unused)
    d = args.DDP(net, find_unused_parameters=True)
    e = DDP(net, find_unused_parameters=flag)
    return a, b, c, d, e
