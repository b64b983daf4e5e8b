import torch
from torch import nn

CHUNKS = 20
LENGTH = 50
BATCH = 64
HIDDEN = 128


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(16, HIDDEN, batch_first=True)
        self.head = nn.Linear(HIDDEN, 1)

    def forward(self, x, state=None):
        out, state = self.rnn(x, state)
        return torch.sigmoid(self.head(out)), state


torch.manual_seed(0)
model = Detector()
model.eval()
stream = torch.randn(CHUNKS, BATCH, LENGTH, 16)
hidden = None
alarms = []
for chunk in stream:
    with torch.no_grad():
        score, hidden = model(chunk, hidden)
    alarms.append(score.max().item())

result = alarms
