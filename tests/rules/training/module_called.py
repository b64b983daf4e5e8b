import copy
import glob
import time

import torch
import torch.utils.checkpoint
import tqdm
from torch.utils import checkpoint
from torch.utils.checkpoint import checkpoint as checkpointed


def fallback(net, block, x):
    net.down = torch.utils.checkpoint(net.down)  # expect: DP993
    y = checkpoint(block, x, use_reentrant=False)  # expect: DP993
    z = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
    return y, z, checkpointed(block, x, use_reentrant=False)


def collect(folder, net):
    files = glob(folder + "/*.pt")  # expect: DP993
    start = time()  # expect: DP993
    for file in tqdm(files):  # expect: DP993
        net.load_state_dict(torch.load(file, weights_only=True))
    twin = copy(net)  # expect: DP993
    return twin, time.time() - start


def right(folder, net):
    files = glob.glob(folder + "/*.pt")
    for file in tqdm.tqdm(files):
        net.load_state_dict(torch.load(file, weights_only=True))
    return copy.copy(net)


# Other things under the same names.
def parameters(copy, glob, time):
    return copy(1), glob("*"), time()


def handled():
    try:
        return time()
    except TypeError:
        return time.time()
