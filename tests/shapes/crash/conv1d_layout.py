# torch 1.13: RuntimeError: Given groups=1, weight of size [32, 50, 3], expected input[16, 64, 50] to have 50 channels, but got 64 channels instead
import torch
import torch.nn as nn


class TextCNN(nn.Module):
    def __init__(self, vocab, dim, classes, widths=(3, 4, 5), filters=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.convs = nn.ModuleList([nn.Conv1d(dim, filters, w) for w in widths])
        self.fc = nn.Linear(len(widths) * filters, classes)

    def forward(self, x):
        x = self.emb(x)
        #+ x = x.transpose(1, 2)
        pooled = [torch.relu(c(x)).max(dim=2)[0] for c in self.convs]  # expect: DP601
        return self.fc(torch.cat(pooled, 1))


model = TextCNN(1000, 50, 4)
out = model(torch.randint(0, 1000, (16, 64)))
print(out.shape)
