import torch
from torch import nn

BATCH = 256
CODES = 64
WIDTH = 8
STEPS = 30


class Quantizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("codebook", torch.randn(CODES, WIDTH))
        self.encoder = nn.Linear(16, WIDTH)
        self.decoder = nn.Linear(WIDTH, 16)

    def forward(self, x):
        z = self.encoder(x)
        distances = torch.cdist(z.detach(), self.codebook)
        quantized = self.codebook[distances.argmin(dim=1)]
        return self.decoder(z + (quantized - z).detach())


torch.manual_seed(0)
model = Quantizer()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(BATCH, 16)
losses = []
for step in range(STEPS):
    loss = nn.functional.mse_loss(model(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
