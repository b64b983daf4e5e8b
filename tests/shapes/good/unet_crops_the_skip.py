import torch
import torch.nn as nn
import torch.nn.functional as F


class Up(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.up = nn.ConvTranspose2d(cin, cin // 2, 2, 2)
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)

    def forward(self, x1, x2):
        x1 = self.up(x1)
        diff_y = x2.size()[2] - x1.size()[2]
        diff_x = x2.size()[3] - x1.size()[3]
        x1 = F.pad(x1, [diff_x // 2, diff_x - diff_x // 2, diff_y // 2, diff_y - diff_y // 2])
        return self.conv(torch.cat([x2, x1], dim=1))


down = nn.Conv2d(8, 16, 3, stride=2, padding=1)
for side in (31, 32, 33):
    skip = torch.randn(1, 8, side, side)
    Up(16, 8)(down(skip) if side % 2 == 0 else down(skip)[..., :side // 2, :side // 2], skip)
