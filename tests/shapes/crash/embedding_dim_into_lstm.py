# torch 1.13: RuntimeError: input.size(-1) must be equal to input_size. Expected 10, got 6
import torch
import torch.nn as nn


class Tagger(nn.Module):
    def __init__(self, vocab, emb, hid, tags):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab, emb)
        self.lstm = nn.LSTM(hid, emb)  # fixed: self.lstm = nn.LSTM(emb, hid)
        self.hidden2tag = nn.Linear(hid, tags)

    def forward(self, sentence):
        embeds = self.word_embeddings(sentence)
        lstm_out, _ = self.lstm(embeds.view(len(sentence), 1, -1))  # expect: DP601
        return self.hidden2tag(lstm_out.view(len(sentence), -1))


tagger = Tagger(100, 6, 10, 3)
tagger(torch.tensor([3, 1, 4, 1, 5]))
