import torch
from torch import nn

THREADS = 1


def limit():
    torch.set_num_threads(THREADS)  # expect: DP525


def train(loader):
    model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


def main(path):
    limit()
    data = torch.utils.data.TensorDataset(*torch.load(path, weights_only=True))
    train(torch.utils.data.DataLoader(data, batch_size=64, shuffle=True))


if __name__ == "__main__":
    main("samples.pt")
