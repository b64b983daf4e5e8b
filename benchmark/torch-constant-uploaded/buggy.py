import torch
from torch import nn

BATCH = 4
ITEMS = 20000
STEPS = 60


class Recommender(nn.Module):
    def __init__(self, popularity):
        super().__init__()
        self.popularity = popularity
        self.score = nn.Linear(8, len(popularity))

    def forward(self, users):
        prior = torch.tensor(self.popularity, device=users.device)
        return self.score(users) + prior.log()


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
popularity = (torch.rand(ITEMS) + 0.01).tolist()
model = Recommender(list(popularity)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for step in range(STEPS):
    users = torch.randn(BATCH, 8, device=device)
    chosen = torch.randint(ITEMS, (BATCH,), device=device)
    loss = nn.functional.cross_entropy(model(users), chosen)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.detach())

result = torch.stack(losses)
