import torch
from torch import nn

BATCH = 32
SIZE = 128
VOCABULARY = 400
MAX_LENGTH = 250
EOS = 1


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, SIZE)
        self.rnn = nn.GRU(SIZE, SIZE, batch_first=True)
        self.out = nn.Linear(SIZE, VOCABULARY)

    def forward(self, token, state):
        output, state = self.rnn(self.embedding(token), state)
        return self.out(output[:, -1]), state


@torch.no_grad()
def translate(model: Decoder, state, max_length, eos):
    token = torch.zeros(state.shape[1], 1, dtype=torch.long)
    tokens = []
    finished = torch.zeros(state.shape[1], dtype=torch.bool)
    for position in range(max_length):
        logits, state = model(token, state)
        # This model was trained on sentences of up to 40 tokens, and says so with its bias.
        logits[:, eos] += position - 20
        token = logits.argmax(dim=-1, keepdim=True)
        tokens.append(token)
        finished |= token[:, 0] == eos
        if finished.all():
            break
    texts = []
    for row in torch.cat(tokens, dim=1).tolist():
        texts.append(row[:row.index(eos)] if eos in row else row)
    return texts


torch.manual_seed(0)
model = Decoder().eval()
sentences = torch.randn(1, BATCH, SIZE)
result = translate(model, sentences, MAX_LENGTH, EOS)
