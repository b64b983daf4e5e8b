# A whole program that never leaves the host.
import torch
import torch.nn as nn


def main(batches):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters())
    total = 0.0
    for x in batches:
        loss = model(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


if __name__ == "__main__":
    main([torch.ones(1, 4)] * 1000)
