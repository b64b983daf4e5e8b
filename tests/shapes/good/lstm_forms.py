import torch
from torch import nn

x = torch.randn(5, 3, 10)
lstm = nn.LSTM(10, 20, 2, bidirectional=True)
out, (h, c) = lstm(x)
assert out.shape == (5, 3, 40) and h.shape == (4, 3, 20)
nn.Linear(40, 1)(torch.cat((h[-2], h[-1]), dim=1))
nn.Linear(40, 1)(out[-1])
unbatched, state = nn.LSTM(10, 20)(x[:, 0])
assert unbatched.shape == (5, 20)
projected, (hp, cp) = nn.LSTM(10, 20, proj_size=6)(x)
assert projected.shape == (5, 3, 6) and cp.shape == (1, 3, 20)
gru_out, gru_h = nn.GRU(10, 7, batch_first=True)(x)
assert gru_h.shape == (1, 5, 7)
out2, _ = lstm(x, (torch.zeros(4, 3, 20), torch.zeros(4, 3, 20)))
