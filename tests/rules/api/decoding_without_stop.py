"""Decoding that goes on after the end."""
import torch
from torch import nn


class Translator(nn.Module):
    def __init__(self, vocab, d=512):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.core = nn.Transformer(d, batch_first=True)
        self.out = nn.Linear(d, vocab)

    def encode(self, src):
        return self.core.encoder(self.emb(src))

    def decode(self, tgt, memory):
        return self.out(self.core.decoder(self.emb(tgt), memory))


@torch.inference_mode()
def greedy(model: Translator, src, bos, eos, max_len=200):
    memory = model.encode(src)
    ys = torch.full((src.size(0), 1), bos, dtype=torch.long, device=src.device)
    for _ in range(max_len):  # expect: DP183
        logits = model.decode(ys, memory)[:, -1]  # expect: DP153
        nxt = logits.argmax(-1)
        ys = torch.cat([ys, nxt[:, None]], dim=1)
    return ys, eos


@torch.inference_mode()
def until_the_end(model: Translator, src, bos, eos, max_len=200):
    memory = model.encode(src)
    ys = torch.full((src.size(0), 1), bos, dtype=torch.long, device=src.device)
    for _ in range(max_len):
        nxt = model.decode(ys, memory)[:, -1].argmax(-1)  # expect: DP153
        ys = torch.cat([ys, nxt[:, None]], dim=1)
        if (nxt == eos).all():
            break
    return ys


@torch.inference_mode()
def image_tokens(model: Translator, src, count):
    memory = model.encode(src)
    ids = torch.zeros(src.size(0), 1, dtype=torch.long)
    for _ in range(count):  # hint: DP183
        probabilities = model.decode(ids, memory)[:, -1].softmax(-1)  # expect: DP153
        ids = torch.cat([ids, torch.multinomial(probabilities, 1)], dim=1)
    return ids


@torch.inference_mode()
def predictions(model: Translator, sources, eos, count):
    found = []
    for i in range(count):
        found.append(model.decode(sources[i], model.encode(sources[i])).argmax(-1))
    return found, eos
