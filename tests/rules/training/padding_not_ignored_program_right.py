import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def collate(samples):
    x = pad_sequence([s["tokens"] for s in samples], batch_first=True, padding_value=0)
    y = pad_sequence([s["tags"] for s in samples], batch_first=True, padding_value=-100)
    return x, y


class Tagger(nn.Module):
    def __init__(self, vocab, tags):
        super().__init__()
        self.emb = nn.Embedding(vocab, 100, padding_idx=0)
        self.rnn = nn.LSTM(100, 128, batch_first=True, bidirectional=True)
        self.out = nn.Linear(256, tags)

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


def train(dataset, device="cuda"):
    net = Tagger(20000, 17).to(device)
    crit = nn.CrossEntropyLoss()
    opt = torch.optim.Adam(net.parameters())
    loader = DataLoader(dataset, batch_size=64, shuffle=True, collate_fn=collate, num_workers=4, pin_memory=True, persistent_workers=True)
    for epoch in range(10):
        for x, y in loader:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = crit(net(x).flatten(0, 1), y.flatten())
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
