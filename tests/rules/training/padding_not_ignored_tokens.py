import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD = 0


def collate(batch):
    src, tgt = zip(*batch)
    src = pad_sequence(src, batch_first=True, padding_value=PAD)
    tgt = pad_sequence(tgt, batch_first=True, padding_value=PAD)
    return src, tgt


class Translator(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.emb = nn.Embedding(vocab, 64, padding_idx=PAD)
        self.core = nn.Transformer(64, 4, batch_first=True)
        self.out = nn.Linear(64, vocab)

    def forward(self, src, tgt):
        causal = nn.Transformer.generate_square_subsequent_mask(tgt.size(1), device=tgt.device)
        return self.out(self.core(self.emb(src), self.emb(tgt), tgt_mask=causal))


def train(dataset, vocab):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, collate_fn=collate, num_workers=4)
    model = Translator(vocab)
    optimizer = torch.optim.Adam(model.parameters())
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    for src, tgt in loader:
        logits = model(src, tgt[:, :-1])
        loss = criterion(logits.reshape(-1, vocab), tgt[:, 1:].reshape(-1))  # expect: DP889
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
