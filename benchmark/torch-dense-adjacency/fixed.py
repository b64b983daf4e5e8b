import torch
from torch import nn

NODES = 4000
EDGES = 16000
FEATURES = 16
EPOCHS = 12


def build_graph(edges):
    return torch.sparse_coo_tensor(edges, torch.ones(edges.shape[1]), (NODES, NODES)).coalesce()


torch.manual_seed(0)
edges = torch.unique(torch.randint(NODES, (2, EDGES)), dim=1)
adjacency = build_graph(edges)
features = torch.randn(NODES, FEATURES)
labels = torch.randint(3, (NODES,))
model = nn.Linear(FEATURES, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for epoch in range(EPOCHS):
    logits = torch.sparse.mm(adjacency, model(features))
    loss = nn.functional.cross_entropy(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
