import torch
from torch import nn


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, positions):
        positions.requires_grad_(True)
        energy = self.layer(positions).sum()
        return torch.autograd.grad(energy, positions)[0]


def run(path, frames):
    model = torch.load(path, weights_only=False)
    model.eval()
    for frame in frames:
        print(model(frame).detach().numpy())  # hint: DP232


def main():
    run("model.pt", [torch.rand(5, 3)])


if __name__ == "__main__":
    main()
