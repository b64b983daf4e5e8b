import torch
from torch import nn


class Enc(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.rnn = nn.GRU(d, d, batch_first=True)

    def forward(self, x):
        return self.rnn(x)[0]


class Seq2Seq(nn.Module):
    def __init__(self, d, v):
        super().__init__()
        self.enc = Enc(d)
        self.emb = nn.Embedding(v, d)
        self.cell = nn.GRUCell(2 * d, d)
        self.out = nn.Linear(d, v)

    def forward(self, src, tgt):
        memory = self.enc(src)
        h = memory.mean(1)
        outs = []
        for t in range(tgt.size(1)):
            h = self.cell(torch.cat([self.emb(tgt[:, t]), memory.mean(1)], 1), h)  # expect: DP143
            outs.append(self.out(h))
        return torch.stack(outs, 1)

    def logits(self, src, token, h):
        context = self.enc(src).mean(1)  # expect: DP441
        h = self.cell(torch.cat([self.emb(token), context], 1), h)
        return self.out(h), h


@torch.no_grad()
def greedy(model, src, bos, steps):
    token, h = bos, torch.zeros(src.size(0), 64)
    result = []
    for _ in range(steps):  # hint: DP183
        scores, h = model.logits(src, token, h)
        token = scores.argmax(-1)
        result.append(token)
    return result


@torch.no_grad()
def greedy_inline(model, src, bos, steps):
    token, h = bos, torch.zeros(src.size(0), 64)
    result = []
    while len(result) < steps:
        memory = model.enc(src)  # expect: DP441
        h = model.cell(torch.cat([model.emb(token), memory.mean(1)], 1), h)
        token = model.out(h).argmax(-1)
        result.append(token)
    return result


def mc(model, x, n):
    model.train()
    with torch.no_grad():
        return torch.stack([model(x) for _ in range(n)])


def predict(model, x):
    return model(x)


@torch.no_grad()
def mc2(model, x, n):
    model.train()
    samples = []
    for _ in range(n):
        samples.append(predict(model, x))
    return torch.stack(samples)


if __name__ == "__main__":
    m = Seq2Seq(64, 100)
    m.eval()
    greedy(m, torch.zeros(2, 5, 64), torch.zeros(2).long(), 40)
    greedy_inline(m, torch.zeros(2, 5, 64), torch.zeros(2).long(), 40)
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1))
    mc(net, torch.zeros(2, 4), 50)
    mc2(net, torch.zeros(2, 4), 50)
