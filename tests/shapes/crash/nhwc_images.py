# torch 1.13: RuntimeError: Given groups=1, weight of size [8, 3, 5, 5], expected input[10, 64, 64, 3] to have 3 channels, but got 64 channels instead
import numpy as np
import torch
import torch.nn as nn

images = np.random.randint(0, 255, size=(10, 64, 64, 3), dtype=np.uint8)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, kernel_size=5, stride=2),
            nn.ReLU(),
            nn.Conv2d(8, 16, kernel_size=5, stride=2),
            nn.ReLU(),
        )
        self.pool = nn.AdaptiveMaxPool2d((1, 1))
        self.fc = nn.Linear(16, 2)

    def forward(self, x):
        x = self.pool(self.features(x))  # expect: DP601
        return self.fc(x.view(x.size(0), -1))


net = Classifier()
batch = torch.from_numpy(images).float() / 255.0
#+ batch = batch.permute(0, 3, 1, 2)
print(net(batch).argmax(1))
