import torch
from torch import nn

REQUESTS = 60
BATCH = 4


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(64, 64) for _ in range(6)])
        self.out = nn.Linear(64, 3)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x)) + x
        return self.out(x)


torch.manual_seed(0)
model = Scorer().eval()
requests = torch.randn(REQUESTS, BATCH, 64)
answers = []
with torch.no_grad():
    scripted = torch.jit.trace(model, requests[0])
    for request in requests:
        answers.append(scripted(request).argmax(dim=1).tolist())

result = answers
