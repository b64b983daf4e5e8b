import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

DOCUMENTS = 150
WORKERS = 2
LENGTH = 400


class Documents(IterableDataset):
    """Reads documents from a stream and turns them into counts of letters."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __iter__(self):
        for number in self.numbers:
            text = "".join(chr(97 + (number * k * k + k) % 26) for k in range(LENGTH))
            counts = torch.zeros(26)
            for letter in text:
                counts[ord(letter) - 97] += 1
            yield counts / len(text), number % 3


torch.manual_seed(0)
model = nn.Linear(26, 3)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(Documents(range(DOCUMENTS)), batch_size=20, num_workers=WORKERS)
for x, y in loader:
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

result = loss.item()
