import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

IMAGES = 64
SIDE = 64
CLASSES = 21
BATCH = 8


class Segmenter(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU())
        self.scores = nn.Conv2d(16, classes, 1)

    def forward(self, x):
        return self.scores(self.features(x))


@torch.no_grad()
def evaluate(model, loader, device):
    outputs, targets = [], []
    for images, masks in loader:
        outputs.append(model(images.to(device)).argmax(dim=1))
        targets.append(masks.to(device))
    predicted = torch.cat(outputs)
    return (predicted == torch.cat(targets)).float().mean().item()


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.rand(IMAGES, 3, SIDE, SIDE), torch.randint(CLASSES, (IMAGES, SIDE, SIDE)))
model = Segmenter(CLASSES).to(device).eval()
# measured from here
result = evaluate(model, DataLoader(data, batch_size=BATCH), device)
