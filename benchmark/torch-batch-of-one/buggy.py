import torch
from torch import nn

IMAGES = 800
SIZE = 14

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(),
    nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10),
)
images = torch.rand(IMAGES, 1, SIZE, SIZE)


@torch.no_grad()
def classify(model, images):
    model.eval()
    scores = []
    for image in images:
        logits = model(image.unsqueeze(0))
        scores.append(logits.softmax(dim=1))
    return torch.cat(scores)


scores = classify(model, images)
result = scores.mean(dim=0).tolist()
