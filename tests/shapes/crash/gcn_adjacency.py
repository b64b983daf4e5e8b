# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (30x16 and 30x30)
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parameter import Parameter


class GraphConvolution(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.weight = Parameter(torch.FloatTensor(cin, cout))
        self.bias = Parameter(torch.FloatTensor(cout))
        nn.init.xavier_uniform_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x, adj):
        support = torch.mm(x, self.weight)
        return torch.mm(support, adj) + self.bias  # expect: DP602  # fixed: return torch.mm(adj, support) + self.bias


class GCN(nn.Module):
    def __init__(self, f, h, c):
        super().__init__()
        self.g1 = GraphConvolution(f, h)
        self.g2 = GraphConvolution(h, c)

    def forward(self, x, adj):
        x = F.relu(self.g1(x, adj))
        return F.log_softmax(self.g2(x, adj), dim=1)


x = torch.rand(30, 12)
adj = torch.eye(30)
model = GCN(12, 16, 4)
print(model(x, adj).shape)
