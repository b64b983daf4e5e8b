# The sampler is given to the loader at once, in a class of the program that is called a Trainer.
import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler


class ReidTrainer:
    def __init__(self, data, model, epochs):
        self.loader = DataLoader(data, batch_size=64, sampler=DistributedSampler(data), num_workers=4)  # expect: DP829
        self.val_loader = DataLoader(data, batch_size=64, sampler=DistributedSampler(data), num_workers=4)
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.epochs = epochs

    def one_epoch(self):
        for x, y in self.loader:  # expect: DP147
            loss = nn.functional.cross_entropy(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def run(self):
        for _ in range(self.epochs):
            self.one_epoch()


def main(data, model):
    ReidTrainer(data, model, 120).run()
