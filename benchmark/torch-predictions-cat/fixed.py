import torch
from torch import nn

BATCHES = 500
BATCH = 16
DIMENSION = 256

torch.manual_seed(0)
encoder = nn.Linear(32, DIMENSION)
gallery = torch.randn(BATCHES, BATCH, 32)


@torch.no_grad()
def embed(encoder, batches):
    embeddings = []
    for batch in batches:
        embeddings.append(encoder(batch))
    return torch.cat(embeddings)


embeddings = embed(encoder, gallery)
result = embeddings.mean(dim=0).tolist()
