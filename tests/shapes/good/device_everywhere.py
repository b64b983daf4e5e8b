import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        noise = torch.randn(x.shape, device=x.device)
        h = torch.zeros_like(x) + noise + x.new_ones(4)
        return self.fc(h - self.mean) * torch.tensor(2.0)


net = Net().to(device)
out = net(torch.rand(2, 4).to(device))
array = out.detach().cpu().numpy()
scale = torch.tensor(0.5)
print((out * scale).mean().item(), array.shape)
