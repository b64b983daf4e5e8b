# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (20x16 and 14x7)
import torch
import torch.nn as nn


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, adj):
        support = torch.mm(x, self.weight)  # expect: DP602
        return torch.spmm(adj, support) + self.bias


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass):
        super().__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nfeat, nclass)  # fixed: self.gc2 = GraphConvolution(nhid, nclass)

    def forward(self, x, adj):
        x = torch.relu(self.gc1(x, adj))
        return self.gc2(x, adj)


GCN(14, 16, 7)(torch.rand(20, 14), torch.eye(20))
