import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 21, 3)

    def forward(self, x):
        return self.layer(x)


@torch.no_grad()
def predict(net: nn.Module, x: torch.Tensor, size):
    net.eval()
    output = net(x.cuda()).cpu()
    output = F.interpolate(output, size, mode="bilinear")  # hint: DP444
    return output


@torch.no_grad()
def labels(net: Net, x: torch.Tensor):
    net.eval()
    logits = net(x.cuda())
    pred = np.argmax(logits.detach().cpu().numpy(), axis=1)  # hint: DP444
    other = logits.cpu().argmax(dim=1)  # hint: DP444
    return pred, other, logits.argmax(dim=1).cpu().numpy()


def on_host(scores, x: torch.Tensor):
    return torch.argmax(x.cpu(), dim=1), np.argmax(scores)
