import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

BATCHES = 12
BATCH = 32
MAX_LENGTH = 256
HIDDEN = 32


class Sentiment(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(500, 32, padding_idx=0)
        self.rnn = nn.GRU(32, HIDDEN, batch_first=True)
        self.out = nn.Linear(HIDDEN, 2)

    def forward(self, tokens, lengths):
        hidden, _ = self.rnn(self.embedding(tokens))
        return self.out(hidden[torch.arange(len(tokens)), lengths - 1])


def collate(texts):
    lengths = torch.tensor([len(text) for text in texts])
    return pad_sequence(texts, batch_first=True), lengths


torch.manual_seed(0)
lengths = torch.randint(8, 40, (BATCHES * BATCH,)).tolist()
texts = [torch.randint(1, 500, (length,)) for length in lengths]
model = Sentiment()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for start in range(0, len(texts), BATCH):
    tokens, sizes = collate(texts[start:start + BATCH])
    loss = nn.functional.cross_entropy(model(tokens, sizes), sizes % 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
