import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel as DDP


def finish(net, rank):
    model = DDP(net, device_ids=[rank])
    torch.save(model.module.state_dict(), "last.pt")  # expect: DP451
    torch.save({"model": model.state_dict()}, "all.pt")  # expect: DP451
    torch.save(model.module.state_dict(), f"last_{rank}.pt")
    if rank == 0:
        torch.save(model.module.state_dict(), "first.pt")


def finish_prepared(net, optimizer):
    accelerator = Accelerator()
    model, optimizer = accelerator.prepare(net, optimizer)
    torch.save(accelerator.unwrap_model(model).state_dict(), "last.pt")  # expect: DP451
    if accelerator.is_main_process:
        torch.save(accelerator.unwrap_model(model).state_dict(), "first.pt")


def write(model, path):
    torch.save(model.module.state_dict(), path)


def guarded(net, rank):
    model = DDP(net, device_ids=[rank])
    if dist.get_rank() == 0:
        write(model, "last.pt")


def alone(net):
    torch.save(net.state_dict(), "net.pt")
