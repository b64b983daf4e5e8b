import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


class Worker:
    def __init__(self, gpu, dataset):
        self.gpu = gpu
        self.dataset = dataset
        self.net = DistributedDataParallel(nn.Linear(64, 8).to(gpu), device_ids=[gpu])
        self.opt = torch.optim.SGD(self.net.parameters(), 0.1)
        self.loader = self.make_loader()

    def make_loader(self):
        sampler = DistributedSampler(self.dataset, shuffle=True)  # expect: DP829
        return DataLoader(self.dataset, batch_size=256, sampler=sampler, num_workers=4, pin_memory=True, persistent_workers=True)

    def fit(self, epochs):
        for epoch in range(epochs):
            self.one_epoch()
            if self.gpu == 0:
                torch.save(self.net.module.state_dict(), f"epoch{epoch}.pt")

    def one_epoch(self):
        for x, y in self.loader:
            x, y = x.to(self.gpu, non_blocking=True), y.to(self.gpu, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(self.net(x), y)
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()


def run(rank, world, dataset):
    dist.init_process_group("nccl", rank=rank, world_size=world)
    Worker(rank, dataset).fit(30)


if __name__ == "__main__":
    from mydata import build
    torch.multiprocessing.spawn(run, args=(torch.cuda.device_count(), build()), nprocs=torch.cuda.device_count())
