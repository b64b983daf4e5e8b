import re
import torch
from torch import nn


class Vocabulary:
    def __init__(self, texts):
        self.words = ["<pad>", "<unk>"]
        for text in texts:
            for word in self.split(text):
                if word not in self.words:  # expect: DP156
                    self.words.append(word)

    def split(self, text):
        return re.findall(r"\w+", text.lower())

    def encode(self, text, length):
        ids = [self.words.index(w) for w in self.split(text) if w in self.words][:length]  # expect: DP156
        return ids + [0] * (length - len(ids))


def tensors(texts, vocab, length=64):
    return torch.tensor([vocab.encode(t, length) for t in texts])


def main(texts, labels):
    vocab = Vocabulary(texts)
    x, y = tensors(texts, vocab), torch.tensor(labels)
    net = nn.Sequential(nn.EmbeddingBag(len(vocab.words), 64), nn.Linear(64, 2))
    opt = torch.optim.Adam(net.parameters())
    for epoch in range(10):
        for i in range(0, len(x), 128):
            loss = nn.functional.cross_entropy(net(x[i:i + 128]), y[i:i + 128])
            opt.zero_grad()
            loss.backward()
            opt.step()
