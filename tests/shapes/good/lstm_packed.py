import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

sequences = [torch.randn(n, 6) for n in (7, 4, 2)]
padded = pad_sequence(sequences, batch_first=True)
packed = pack_padded_sequence(padded, [7, 4, 2], batch_first=True)
rnn = nn.GRU(6, 9, batch_first=True)
out, h = rnn(packed)
out, lengths = pad_packed_sequence(out, batch_first=True)
nn.Linear(9, 2)(out)
nn.Linear(9, 2)(h.squeeze(0))
