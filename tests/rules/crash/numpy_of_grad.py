import torch
from torch import nn

model = nn.Linear(4, 2)
out = model(torch.randn(8, 4))
out.numpy()  # expect: DP609
out.detach().numpy()
out.argmax(1).numpy()
out.sum().backward()
with torch.no_grad():
    model(torch.randn(8, 4)).numpy()
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.randn(3, device=device).numpy()  # expect: DP609
torch.randn(3, device=device).cpu().numpy()
