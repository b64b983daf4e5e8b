# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x128 and 64x6)
import torch
from torch import nn


class TwoTower(nn.Module):
    def __init__(self, img_dim: int, txt_dim: int, joint: int = 128):
        super().__init__()
        self.img = nn.Linear(img_dim, joint)
        self.txt = nn.Linear(txt_dim, joint // 2)  # fixed: self.txt = nn.Linear(txt_dim, joint)

    def forward(self, img, txt):
        i = nn.functional.normalize(self.img(img), dim=-1)
        t = nn.functional.normalize(self.txt(txt), dim=-1)
        return i @ t.t()  # expect: DP602


sim = TwoTower(512, 300)(torch.randn(6, 512), torch.randn(6, 300))
