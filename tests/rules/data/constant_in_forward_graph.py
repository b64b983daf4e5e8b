import torch
import torch.nn as nn


def basis(adj, order):
    scale = adj.sum(1).clamp(min=1e-6).rsqrt()
    eye = torch.eye(adj.size(0), device=adj.device)
    lap = -scale[:, None] * adj * scale[None]
    parts = [eye, lap]
    for _ in range(2, order):
        parts.append(2 * lap @ parts[-1] - parts[-2])
    return torch.stack(parts[:order])


class Chebyshev(nn.Module):
    def __init__(self, adj, order=3):
        super().__init__()
        self.order = order
        self.register_buffer("adj", adj)
        self.register_buffer("basis", basis(adj, order))
        self.weight = nn.Parameter(torch.ones(order))

    def forward(self, x):
        parts = basis(self.adj, self.order)  # expect: DP428
        return torch.einsum("knm,bm,k->bn", parts, x, self.weight)  # expect: DP164


class Kept(Chebyshev):
    def forward(self, x):
        return torch.einsum("knm,bm,k->bn", self.basis, x, self.weight)  # expect: DP164


class Learned(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.adj = nn.Parameter(torch.rand(n, n))

    def forward(self, x):
        return torch.einsum("knm,bm->bn", basis(self.adj, 3), x)


class Graph(nn.Module):
    def __init__(self, edges, n):
        super().__init__()
        self.n = n
        self.register_buffer("edges", edges)
        self.embedding = nn.Embedding(n, 8)

    def adjacency(self):
        row, col = self.edges
        degree = torch.zeros(self.n, device=row.device).scatter_add_(0, row, torch.ones_like(row, dtype=torch.float))
        inverse = degree.clamp(min=1).rsqrt()
        return torch.sparse_coo_tensor(self.edges, inverse[row] * inverse[col], (self.n, self.n)).coalesce()

    def forward(self):
        return torch.sparse.mm(self.adjacency(), self.embedding.weight)  # expect: DP428
