# torch 1.13: RuntimeError: Input and hidden tensors are not at the same device, found input tensor at meta and hidden tensor at cpu
# needs a GPU
import torch
import torch.nn as nn

device = 'cuda' if torch.cuda.is_available() else 'cpu'


class RNN(nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.h = h
        self.rnn = nn.LSTM(i, h, batch_first=True)
        self.fc = nn.Linear(h, o)

    def forward(self, x):
        h0 = torch.zeros(1, x.size(0), self.h)  # fixed: h0 = torch.zeros(1, x.size(0), self.h).to(x.device)
        c0 = torch.zeros(1, x.size(0), self.h)  # fixed: c0 = torch.zeros(1, x.size(0), self.h).to(x.device)
        out, _ = self.rnn(x, (h0, c0))  # expect: DP608
        return self.fc(out[:, -1])


model = RNN(4, 16, 2).to(device)
x = torch.randn(3, 7, 4).to(device)
print(model(x))
