# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (44x88 and 56x24)
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, enc_hid, dec_hid):
        super().__init__()
        self.attn = nn.Linear(enc_hid + dec_hid, dec_hid)  # fixed: self.attn = nn.Linear(enc_hid * 2 + dec_hid, dec_hid)
        self.v = nn.Linear(dec_hid, 1, bias=False)

    def forward(self, hidden, encoder_outputs):
        src_len = encoder_outputs.shape[0]
        hidden = hidden.unsqueeze(1).repeat(1, src_len, 1)
        encoder_outputs = encoder_outputs.permute(1, 0, 2)
        energy = torch.tanh(self.attn(torch.cat((hidden, encoder_outputs), dim=2)))  # expect: DP601
        return torch.softmax(self.v(energy).squeeze(2), dim=1)


encoder = nn.GRU(16, 32, bidirectional=True)
outputs, _ = encoder(torch.randn(11, 4, 16))
weights = Attention(32, 24)(torch.randn(4, 24), outputs)
