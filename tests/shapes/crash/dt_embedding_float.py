# torch 1.13: RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.FloatTensor instead (while checking arguments for embedding)
import numpy as np
import torch
import torch.nn as nn


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(50, 8)
        self.fc = nn.Linear(8, 2)

    def forward(self, ids):
        return self.fc(self.emb(ids).mean(1))  # expect: DP607


ids = np.random.randint(0, 50, (4, 12))
batch = torch.Tensor(ids)  # fixed: batch = torch.LongTensor(ids)
model = Bag()
print(model(batch))
