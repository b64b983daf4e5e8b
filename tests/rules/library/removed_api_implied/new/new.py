import collections
import imp  # expect: DP301

import torch
from PIL import Image


def fires(picture):
    print(collections.Mapping, torch.ones(2))  # expect: DP301
    return picture.resize((2, 2), Image.ANTIALIAS), imp  # expect: DP301
