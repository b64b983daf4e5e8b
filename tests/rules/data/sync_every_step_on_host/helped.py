# The same where a function of another file may move the model.
import torch
from models import make, place


def main(batches):
    model = make()
    optimizer = torch.optim.Adam(model.parameters())
    total = 0.0
    for x in batches:
        loss = model(place(x)).sum()  # hint: DP513
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()  # expect: DP402
    return total


if __name__ == "__main__":
    main([torch.ones(1, 4)] * 1000)
