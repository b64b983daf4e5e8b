import torch


# Each call draws another time of the diffusion, and the mean of the losses is wanted.
def mean_loss(model, loader, tries):
    model.eval()
    total = 0
    with torch.no_grad():
        for x, units in loader:
            for _ in range(tries):
                loss = model(units, x)
                total += loss.item()
            for _ in range(tries):
                total += x.sum() @ model(units, x)  # expect: DP441
    return total / tries
