# torch 1.13: RuntimeError: batch2 must be a 3D tensor
import torch
import torch.nn as nn


class DotScorer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, dim, bias=False)

    def forward(self, query, keys):
        q = self.proj(query)
        scores = torch.bmm(keys, q)  # expect: DP604  # fixed: scores = torch.bmm(keys, q.unsqueeze(2))
        return scores.view(keys.size(0), -1).softmax(-1)


class Reader(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.q = nn.LSTM(dim, dim, batch_first=True)
        self.scorer = DotScorer(dim)

    def forward(self, passage, question):
        p = self.emb(passage)
        _, (h, _) = self.q(self.emb(question))
        return self.scorer(h[-1], p)


reader = Reader(300, 20)
w = reader(torch.randint(0, 300, (4, 15)), torch.randint(0, 300, (4, 6)))
print(w.sum(1))
