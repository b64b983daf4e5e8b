# torch 1.13: RuntimeError: Given groups=1, weight of size [16, 100, 3], expected input[8, 40, 100] to have 100 channels, but got 40 channels instead
import torch
import torch.nn as nn


class TextCNN(nn.Module):
    def __init__(self, vocab, dim, n_filters, sizes, n_classes):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.convs = nn.ModuleList([nn.Conv1d(dim, n_filters, k) for k in sizes])
        self.fc = nn.Linear(len(sizes) * n_filters, n_classes)

    def forward(self, text):
        embedded = self.embedding(text)
        #+ embedded = embedded.permute(0, 2, 1)
        conved = [torch.relu(conv(embedded)) for conv in self.convs]  # expect: DP601
        pooled = [c.max(dim=2)[0] for c in conved]
        return self.fc(torch.cat(pooled, dim=1))


model = TextCNN(1000, 100, 16, [3, 4, 5], 2)
out = model(torch.randint(0, 1000, (8, 40)))
