import torch
import torch.distributed as dist


def in_place(losses):
    total = torch.stack(losses).sum()
    total /= len(losses)
    dist.all_reduce(total)  # expect: DP940
    return total.item()


def assigned(losses):
    total = torch.stack(losses).sum()
    mean = total / len(losses)
    dist.all_reduce(mean, op=dist.ReduceOp.SUM)  # expect: DP940
    return mean.item()


def averaged(losses):
    total = torch.stack(losses).sum()
    total /= len(losses)
    dist.all_reduce(total, op=dist.ReduceOp.AVG)
    return total.item()


def divided_after(losses):
    mean = torch.stack(losses).sum()
    mean = mean / len(losses)
    dist.all_reduce(mean)
    return mean.item() / dist.get_world_size()


def divided_before(losses, world_size):
    mean = torch.stack(losses).sum()
    mean /= len(losses) * world_size
    dist.all_reduce(mean)
    return mean.item()


def sums(losses, count):
    total = torch.stack([torch.stack(losses).sum(), count])
    dist.all_reduce(total)
    return (total[0] / total[1]).item()
