# torch 1.13: RuntimeError: Expected hidden size (2, 10, 64), got [1, 10, 64]
import torch
import torch.nn as nn


class CharRNN(nn.Module):
    def __init__(self, n_chars, hidden_size, n_layers=2):
        super(CharRNN, self).__init__()
        self.hidden_size = hidden_size
        self.n_layers = n_layers
        self.encoder = nn.Embedding(n_chars, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, n_layers)
        self.decoder = nn.Linear(hidden_size, n_chars)

    def forward(self, input, hidden):
        batch = input.size(0)
        enc = self.encoder(input)
        out, hidden = self.gru(enc.view(1, batch, -1), hidden)  # expect: DP601
        return self.decoder(out.view(batch, -1)), hidden

    def init_hidden(self, batch):
        return torch.zeros(1, batch, self.hidden_size)  # fixed: return torch.zeros(self.n_layers, batch, self.hidden_size)


def main():
    net = CharRNN(100, 64)
    batch = 10
    hidden = net.init_hidden(batch)
    inp = torch.randint(0, 100, (batch, 25))
    target = torch.randint(0, 100, (batch, 25))
    loss = 0
    for c in range(25):
        out, hidden = net(inp[:, c], hidden)
        loss += nn.functional.cross_entropy(out, target[:, c])
    loss.backward()


main()
