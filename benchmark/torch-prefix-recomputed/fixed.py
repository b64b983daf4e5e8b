import torch
from torch import nn

TOKENS = 150
VOCABULARY = 200
HIDDEN = 64


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 32)
        self.rnn = nn.GRU(32, HIDDEN, batch_first=True)
        self.out = nn.Linear(HIDDEN, VOCABULARY)

    def forward(self, tokens, state=None):
        hidden, state = self.rnn(self.embedding(tokens), state)
        return self.out(hidden), state


torch.manual_seed(0)
model = LanguageModel().eval()


@torch.no_grad()
def generate(model, prompt, count):
    tokens = [prompt]
    state = None
    for _ in range(count):
        logits, state = model(tokens[-1], state)
        tokens.append(logits[:, -1].argmax(dim=1, keepdim=True))
    return torch.cat(tokens, dim=1)


result = generate(model, torch.tensor([[1, 2, 3]]), TOKENS).tolist()
