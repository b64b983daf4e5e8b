import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CLASSES = 200
LENGTH = 12
SIZE = 256
IMAGES = 640
BATCH = 32


class TextEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, SIZE)
        self.rnn = nn.GRU(SIZE, SIZE, batch_first=True)

    def forward(self, tokens):
        _, state = self.rnn(self.embedding(tokens))
        return nn.functional.normalize(state[-1], dim=-1)


def classify(encoder: TextEncoder, loader, prompts):
    encoder.eval()
    predictions = []
    with torch.no_grad():
        names = encoder(prompts)
        for (images,) in loader:
            predictions.append((images @ names.T).argmax(dim=1))
    return torch.cat(predictions)


torch.manual_seed(0)
encoder = TextEncoder()
prompts = torch.randint(1000, (CLASSES, LENGTH))
loader = DataLoader(TensorDataset(torch.randn(IMAGES, SIZE)), batch_size=BATCH)
result = classify(encoder, loader, prompts)
