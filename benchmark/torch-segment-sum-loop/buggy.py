import torch
from torch import nn

NODES = 500
EDGES = 4000
EPOCHS = 6


class MessagePassing(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(16, 16)

    def forward(self, x, source, target):
        messages = self.project(x).detach()
        received = torch.zeros(x.shape[0], 16)
        for e in range(source.shape[0]):
            received[target[e]] += messages[source[e]]
        return received


torch.manual_seed(0)
layer = MessagePassing()
x = torch.randn(NODES, 16)
source = torch.randint(NODES, (EDGES,))
target = torch.randint(NODES, (EDGES,))
for epoch in range(EPOCHS):
    x = torch.tanh(layer(x, source, target))

result = x.mean(dim=0).tolist()
