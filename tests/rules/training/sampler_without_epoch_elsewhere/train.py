import loaders
import torch


def train(dataset, epochs, step):
    sampler, loader = loaders.make(dataset)
    for epoch in range(epochs):
        torch.manual_seed(epoch)
        sampler.set_epoch(epoch)
        for batch in loader:
            step(batch)
