# Gradients are switched off for the rest of the function, without `with`.
import torch
from torch import nn


def main(paths):
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    model.load_state_dict(torch.load("model.pt", weights_only=True))
    model.eval()
    torch.no_grad().__enter__()
    found = []
    for path in paths:
        x = torch.load(path, weights_only=True)
        found.append(model(x).argmax(1).tolist())
    return found


if __name__ == "__main__":
    print(main(["a.pt", "b.pt"]))
