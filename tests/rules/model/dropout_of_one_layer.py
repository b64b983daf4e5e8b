from torch import nn

RATE = 0.3


def layers(count, rate):
    a = nn.LSTM(128, 256, dropout=0.5, batch_first=True)  # expect: DP244
    b = nn.GRU(128, 256, 1, dropout=RATE)  # expect: DP244
    c = nn.RNN(128, 256, num_layers=2, dropout=0.5)
    d = nn.LSTM(128, 256, num_layers=count, dropout=0.5)
    e = nn.LSTM(128, 256, dropout=0.0)
    f = nn.LSTM(128, 256, dropout=rate)
    g = nn.LSTM(128, 256)
    return a, b, c, d, e, f, g
