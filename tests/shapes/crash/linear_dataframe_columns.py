# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (120x4 and 120x50)
import numpy as np
import torch
import torch.nn as nn

X = np.random.randn(150, 4)
y = np.random.randint(0, 3, size=150)
X_train = torch.FloatTensor(X[:120])
y_train = torch.LongTensor(y[:120])


class IrisNet(nn.Module):
    def __init__(self, input_dim):
        super().__init__()
        self.layer1 = nn.Linear(input_dim, 50)
        self.layer2 = nn.Linear(50, 3)

    def forward(self, x):
        return self.layer2(torch.relu(self.layer1(x)))  # expect: DP601


model = IrisNet(X_train.shape[0])  # fixed: model = IrisNet(X_train.shape[1])
loss = nn.CrossEntropyLoss()(model(X_train), y_train)
