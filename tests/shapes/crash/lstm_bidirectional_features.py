# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (16x128 and 64x1)
import torch
import torch.nn as nn


class SentimentLSTM(nn.Module):
    def __init__(self, vocab_size, embed_dim=50, hidden_dim=64, n_layers=2, bidirectional=True):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
        self.rnn = nn.LSTM(embed_dim, hidden_dim, num_layers=n_layers, bidirectional=bidirectional,
                           batch_first=True, dropout=0.3)
        self.fc = nn.Linear(hidden_dim, 1)  # fixed: self.fc = nn.Linear(hidden_dim * 2, 1)

    def forward(self, text):
        embedded = self.embedding(text)
        output, (hidden, cell) = self.rnn(embedded)
        return self.fc(output[:, -1, :])  # expect: DP601


net = SentimentLSTM(5000)
logit = net(torch.randint(1, 5000, (16, 30)))
