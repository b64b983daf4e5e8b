# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x23 and 17x200)
import torch
import torch.nn as nn


class TabularModel(nn.Module):
    def __init__(self, emb_szs, n_cont, out_sz, layers):
        super().__init__()
        self.embeds = nn.ModuleList([nn.Embedding(ni, nf) for ni, nf in emb_szs])
        n_emb = sum(nf for ni, nf in emb_szs)
        n_in = n_emb  # fixed: n_in = n_emb + n_cont
        stack = []
        for width in layers:
            stack.append(nn.Linear(n_in, width))
            stack.append(nn.ReLU(inplace=True))
            n_in = width
        stack.append(nn.Linear(layers[-1], out_sz))
        self.layers = nn.Sequential(*stack)

    def forward(self, x_cat, x_cont):
        embeddings = []
        for i, e in enumerate(self.embeds):
            embeddings.append(e(x_cat[:, i]))
        x = torch.cat(embeddings, 1)
        x = torch.cat([x, x_cont], 1)
        return self.layers(x)  # expect: DP601


model = TabularModel([(24, 12), (2, 1), (7, 4)], 6, 1, [200, 100])
model(torch.zeros(5, 3, dtype=torch.long), torch.zeros(5, 6))
