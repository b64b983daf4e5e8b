from torch.utils.data import DataLoader, DistributedSampler
from torch.utils.data.distributed import DistributedSampler as Sampler


def train(dataset, epochs, step):
    sampler = DistributedSampler(dataset)  # hint: DP829
    loader = DataLoader(dataset, batch_size=32, sampler=sampler, num_workers=4, persistent_workers=True)
    for epoch in range(epochs):
        for batch in loader:
            step(batch)


class Learner:
    def __init__(self, dataset, val_dataset, rank, world):
        self.sampler = Sampler(dataset, num_replicas=world, rank=rank, shuffle=True)  # hint: DP829
        self.val_sampler = Sampler(val_dataset)
        self.in_order = Sampler(dataset, shuffle=False)
