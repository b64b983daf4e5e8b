# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x80 and 128x200)
import torch
import torch.nn as nn


class Decoder(nn.Module):
    def __init__(self, output_dim, emb_dim, hid_dim):
        super().__init__()
        self.embedding = nn.Embedding(output_dim, emb_dim)
        self.rnn = nn.GRU(emb_dim + hid_dim, hid_dim)
        self.fc_out = nn.Linear(emb_dim + hid_dim * 2, output_dim)

    def forward(self, token, hidden, context):
        token = token.unsqueeze(0)
        embedded = self.embedding(token)
        emb_con = torch.cat((embedded, context), dim=2)
        output, hidden = self.rnn(emb_con, hidden)
        output = torch.cat((embedded.squeeze(0), hidden.squeeze(0)), dim=1)  # fixed: output = torch.cat((embedded.squeeze(0), hidden.squeeze(0), context.squeeze(0)), dim=1)
        return self.fc_out(output), hidden  # expect: DP601


dec = Decoder(200, 32, 48)
hidden = torch.zeros(1, 5, 48)
out, hidden = dec(torch.randint(200, (5,)), hidden, hidden)
