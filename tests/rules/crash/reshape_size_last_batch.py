import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split
from torchvision import datasets, transforms


class Rows(Dataset):
    def __init__(self, count):
        self.rows = torch.randn(count, 10)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


def viewed(batch_size=32):
    for rows in DataLoader(Rows(100), batch_size=batch_size):
        rows.view(batch_size, 2, 5)  # expect: DP603


def labels_of_a_gan():
    images = datasets.MNIST(".", transform=transforms.ToTensor())
    discriminator = nn.Sequential(nn.Flatten(), nn.Linear(784, 1))
    ones = torch.ones(64, 1)
    criterion = nn.BCEWithLogitsLoss()
    for step, (real, _) in enumerate(DataLoader(images, batch_size=64, shuffle=True, num_workers=2)):
        criterion(discriminator(real), ones).backward()  # expect: DP605


def state_carried_over(epochs):
    text = torch.randint(0, 60, (100, 26))
    embed, rnn = nn.Embedding(60, 48), nn.GRU(48, 48, batch_first=True)
    loader = DataLoader(TensorDataset(text[:, :-1], text[:, 1:]), 16)
    for epoch in range(epochs):
        state = torch.zeros(1, 16, 48)
        for inputs, targets in loader:
            output, state = rnn(embed(inputs), state.detach())  # expect: DP601
            output.mean().backward()


def state_of_the_batch_before():
    rnn, state = nn.LSTM(10, 8, batch_first=True), None
    for (rows,) in DataLoader(TensorDataset(torch.randn(50, 6, 10)), 8):
        output, state = rnn(rows, state)  # expect: DP601


def difference_of_batches():
    before = None
    for rows in DataLoader(Rows(100), 32):
        change = rows if before is None else rows - before  # expect: DP602
        before = rows


def of_a_part():
    train, test = random_split(Rows(100), [80, 20])
    for rows in DataLoader(train, 32):
        rows.view(32, 10)  # expect: DP603
    for rows in DataLoader(Subset(Rows(100), list(range(40))), 32):
        rows + torch.zeros(32, 10)  # expect: DP602


def divides():
    for rows in DataLoader(Rows(96), batch_size=32):
        print(rows.view(32, 2, 5))


def dropped():
    for rows in DataLoader(Rows(100), batch_size=32, drop_last=True):
        print(rows.view(32, 2, 5))


def skipped():
    for rows in DataLoader(Rows(100), batch_size=32):
        if len(rows) != 32:
            continue
        print(rows.view(32, 2, 5))


def left_before(steps):
    for step, rows in enumerate(DataLoader(Rows(100), batch_size=32)):
        if step >= steps:
            break
        print(rows.view(32, 2, 5))


def returned_before(found):
    for rows in DataLoader(Rows(100), batch_size=32):
        if found(rows):
            return rows
        print(rows.view(32, 2, 5))


def with_something_shorter():
    for rows, number in zip(DataLoader(Rows(100), batch_size=32), range(2)):
        print(rows.view(32, 2, 5))


def first_alone():
    rows = next(iter(DataLoader(Rows(100), batch_size=32)))
    return rows.view(32, 2, 5)


def by_its_own_size():
    rnn = nn.GRU(10, 8, batch_first=True)
    for (rows,) in DataLoader(TensorDataset(torch.randn(50, 6, 10)), 8):
        rnn(rows, torch.zeros(1, rows.size(0), 8))


def unknown_length(rows):
    for row in DataLoader(rows, batch_size=32, num_workers=0):
        row.view(32, 2, 5)


viewed()
state_carried_over(3)
