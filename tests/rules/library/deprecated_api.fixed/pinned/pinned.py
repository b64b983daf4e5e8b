import torch
import torch.nn.functional as F
from torch.autograd import Variable


def fires(x, y):
    a = torch.outer(x, y)  # expect: DP302
    b = F.interpolate(x, 2)  # expect: DP302
    c = Variable(x)  # expect: DP302
    return a, b, c


def silent(x, y):
    a = torch.outer(x, y)
    b = torch.sigmoid(x)
    with torch.cuda.amp.autocast():
        return a, b, x.ger(y)
