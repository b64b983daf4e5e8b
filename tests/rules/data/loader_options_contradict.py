import torch
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, RandomSampler, WeightedRandomSampler


def shuffled(data, weights):
    return DataLoader(data, 32, shuffle=True, sampler=WeightedRandomSampler(weights, len(data)), num_workers=4)  # expect: DP452


def named(data):
    sampler = DistributedSampler(data, shuffle=False)
    return DataLoader(data, batch_size=32, shuffle=True, sampler=sampler, num_workers=4)  # expect: DP452


def batches(data):
    chosen = BatchSampler(RandomSampler(data), 32, drop_last=True)
    return DataLoader(data, batch_size=32, batch_sampler=chosen, num_workers=4)  # expect: DP452


def dropped(data):
    chosen = BatchSampler(RandomSampler(data), 32, drop_last=True)
    return DataLoader(data, batch_sampler=chosen, drop_last=True, num_workers=4)  # expect: DP452


def right(data, is_distributed):
    sampler = DistributedSampler(data, shuffle=False) if is_distributed else None
    yield DataLoader(data, batch_size=32, shuffle=sampler is None, sampler=sampler, num_workers=4)
    yield DataLoader(data, batch_size=32, shuffle=True, sampler=sampler, num_workers=4)
    yield DataLoader(data, batch_sampler=BatchSampler(RandomSampler(data), 32, drop_last=True), num_workers=4)
    yield DataLoader(data, batch_size=32, shuffle=True, sampler=None, num_workers=4)
    yield torch.utils.data.DataLoader(data, batch_size=32, sampler=RandomSampler(data), num_workers=4)
