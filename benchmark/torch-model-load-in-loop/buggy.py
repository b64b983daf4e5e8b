import os
import tempfile

import torch
from torch import nn

SIZE = 512
REQUESTS = 60

folder = tempfile.mkdtemp()
path = os.path.join(folder, "classifier.pt")
torch.manual_seed(0)
torch.jit.script(nn.Sequential(nn.Linear(64, SIZE), nn.ReLU(), nn.Linear(SIZE, SIZE), nn.ReLU(), nn.Linear(SIZE, 10))).save(path)
requests = torch.randn(REQUESTS, 1, 64)

# measured from here
answers = []
with torch.no_grad():
    for request in requests:
        model = torch.jit.load(path)
        model.eval()
        answers.append(model(request).argmax(dim=1).item())

result = answers
