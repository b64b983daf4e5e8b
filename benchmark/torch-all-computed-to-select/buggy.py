import torch
import torch.nn.functional as F

BATCH = 64
PIXELS = 65536
STEPS = 25


def reconstruction_loss(prediction, target, kind):
    return {
        "l1": F.l1_loss(prediction, target),
        "l2": F.mse_loss(prediction, target),
        "huber": F.huber_loss(prediction, target),
        "smooth": F.smooth_l1_loss(prediction, target),
    }[kind]


torch.manual_seed(0)
scale = torch.ones(PIXELS, requires_grad=True)
images = torch.randn(BATCH, PIXELS)
optimizer = torch.optim.SGD([scale], lr=0.1)
losses = []
for step in range(STEPS):
    loss = reconstruction_loss(images * scale, images * 0.5, "l1")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
