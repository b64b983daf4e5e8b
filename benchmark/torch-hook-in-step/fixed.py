import torch
from torch import nn

BATCH = 32
STEPS = 100

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
x = torch.randn(STEPS, BATCH, 64)
y = torch.randint(10, (STEPS, BATCH))
activity = {}


def watch(module, inputs, output):
    activity["mean"] = output.detach().mean()
    activity["dead"] = (output == 0).float().mean()


losses = []
handle = model[1].register_forward_hook(watch)
for step in range(STEPS):
    loss = criterion(model(x[step]), y[step])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
handle.remove()

result = [losses, activity["mean"].item(), activity["dead"].item()]
