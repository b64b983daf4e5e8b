from types import SimpleNamespace

import torch
from torch import nn


def build(**overrides):
    cfg = SimpleNamespace(**{"d_in": 6, "d_hid": 12, "d_out": 3, **overrides})
    return nn.Sequential(nn.Linear(cfg.d_in, cfg.d_hid), nn.ReLU(), nn.Linear(cfg.d_hid, cfg.d_out))


build()(torch.rand(1, 6))
build(d_in=9)(torch.rand(1, 9))
build(**{"d_in": 2, "d_hid": 2})(torch.rand(4, 2))
