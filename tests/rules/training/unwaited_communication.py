import torch
import torch.distributed as dist


def fires(tensor):
    dist.isend(tensor, dst=1)  # expect: DP816
    dist.irecv(tensor, src=0)  # expect: DP816
    torch.distributed.all_reduce(tensor, async_op=True)  # expect: DP816


def silent(tensor, requests):
    request = dist.isend(tensor, dst=1)
    request.wait()
    dist.irecv(tensor, src=0).wait()
    requests.append(dist.isend(tensor, dst=1))
    dist.all_reduce(tensor)
    dist.all_reduce(tensor, async_op=False)
    dist.send(tensor, dst=1)
    return dist.all_reduce(tensor, async_op=True)


def gathered(x: torch.Tensor, sizes):
    parts = []
    for rank, size in enumerate(sizes):
        part = x.new_empty(size)
        dist.broadcast(part, src=rank, async_op=True)  # hint: DP816
        parts.append(part)
    dist.barrier()
    return parts
