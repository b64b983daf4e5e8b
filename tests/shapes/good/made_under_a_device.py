# needs torch 2.0, not verified: what is made under `with device:` is there from the start.
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 16)
        self.head = nn.Linear(16, 4)
        self.scale = torch.ones(16)

    def forward(self, tokens):
        return self.head(self.embedding(tokens).mean(dim=1) * self.scale)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
with device:
    model = Classifier()

print(model(torch.zeros(2, 5, dtype=torch.long).to(device)).shape)
