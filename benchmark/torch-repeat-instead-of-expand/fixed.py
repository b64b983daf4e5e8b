import torch
from torch import nn

BATCH = 256
LENGTH = 600
WIDTH = 256


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)

    def forward(self, sequence, context):
        return torch.einsum("bw,blw->bl", self.query(context), sequence)


torch.manual_seed(0)
gate = Gate()
sequence = torch.rand(BATCH, LENGTH, WIDTH)
context = torch.rand(BATCH, WIDTH)
with torch.no_grad():
    weights = gate(sequence, context).softmax(dim=1)

result = weights.max(dim=1).values.tolist()
