# torch 1.13: RuntimeError: Input and hidden tensors are not at the same device, found input tensor at meta and hidden tensor at cpu
# needs a GPU
import torch
import torch.nn as nn

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 16, batch_first=True)

    def forward(self, x):
        h0 = torch.zeros(1, x.size(0), 16)  # fixed: h0 = torch.zeros(1, x.size(0), 16, device=x.device)
        c0 = torch.zeros(1, x.size(0), 16)  # fixed: c0 = torch.zeros(1, x.size(0), 16, device=x.device)
        out, _ = self.rnn(x, (h0, c0))  # expect: DP608
        return out


net = Net().to(device)
net(torch.randn(2, 5, 8).to(device))
