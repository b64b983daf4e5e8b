# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x48 and 16x2)
import torch
import torch.nn as nn
import torch.nn.functional as F


class KimCNN(nn.Module):
    def __init__(self, vocab=800, dim=40, n=16, ks=[2, 3, 4], c=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.convs1 = nn.ModuleList([nn.Conv2d(1, n, (k, dim)) for k in ks])
        self.dropout = nn.Dropout(0.5)
        self.fc1 = nn.Linear(n, c)  # fixed: self.fc1 = nn.Linear(len(ks) * n, c)

    def forward(self, x):
        x = self.embed(x).unsqueeze(1)
        x = [F.relu(conv(x)).squeeze(3) for conv in self.convs1]
        x = [F.max_pool1d(i, i.size(2)).squeeze(2) for i in x]
        x = torch.cat(x, 1)
        return self.fc1(self.dropout(x))  # expect: DP601


net = KimCNN()
logit = net(torch.randint(0, 800, (6, 30)))
loss = F.cross_entropy(logit, torch.zeros(6, dtype=torch.long))
