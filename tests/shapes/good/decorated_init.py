import functools

from torch import nn

try:
    from typeguard import typechecked
except ImportError:
    typechecked = functools.lru_cache


class Loss(nn.Module):
    @typechecked
    def __init__(self, use_masking=True, use_weighted=False):
        super().__init__()
        self.use_masking = use_masking
        self.use_weighted = use_weighted

    def forward(self, outs, ys, masks):
        if self.use_masking:
            ys = ys.masked_select(masks)
        loss = (outs - ys).abs()
        if self.use_weighted:
            loss = loss / (ys.size(0) * ys.size(2))
        return loss
