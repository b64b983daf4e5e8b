import torch
import torch.utils.checkpoint as cp
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


def fires(f, x, args, net):
    a = checkpoint(f, x)  # expect: DP242
    b = cp.checkpoint(f, *args)  # expect: DP242
    c = torch.utils.checkpoint.checkpoint(f, x, preserve_rng_state=False)  # expect: DP242
    d = checkpoint_sequential(net, 2, x)  # expect: DP242
    return a, b, c, d


def silent(f, x, kwargs, other, flag):
    a = checkpoint(f, x, use_reentrant=False)
    b = cp.checkpoint(f, x, use_reentrant=flag)
    c = checkpoint(f, x, **kwargs)
    d = other.checkpoint(f, x)
    if is_torch_version(">=", "1.11.0"):
        d = checkpoint(f, x, use_reentrant=False)
    else:
        d = checkpoint(f, x)
    return a, b, c, d, torch.load("checkpoint", weights_only=True)
from elsewhere import is_torch_version
