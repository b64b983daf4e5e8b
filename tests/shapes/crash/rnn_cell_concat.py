# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x185 and 57x18)
import torch
import torch.nn as nn


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super(RNN, self).__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.i2o = nn.Linear(input_size, output_size)  # fixed: self.i2o = nn.Linear(input_size + hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        combined = torch.cat((input, hidden), 1)
        hidden = self.i2h(combined)
        output = self.softmax(self.i2o(combined))  # expect: DP601
        return output, hidden

    def initHidden(self):
        return torch.zeros(1, self.hidden_size)


n_letters, n_categories = 57, 18
rnn = RNN(n_letters, 128, n_categories)
letter = torch.zeros(1, n_letters)
output, next_hidden = rnn(letter, rnn.initHidden())
