import torch.distributed as dist


def gradients(model):
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)  # expect: DP940


def train(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        model(x, y).mean().backward()
        gradients(model)
        optimizer.step()
