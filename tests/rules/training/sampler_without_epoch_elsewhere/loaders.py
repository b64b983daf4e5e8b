from torch.utils.data import DataLoader, DistributedSampler


def make(dataset):
    sampler = DistributedSampler(dataset)
    return sampler, DataLoader(dataset, batch_size=32, sampler=sampler, num_workers=4, persistent_workers=True)
