import torch
import torch.backends.cudnn as cudnn


def contradiction():
    cudnn.benchmark = True  # expect: DP510
    cudnn.deterministic = True  # hint: DP510


def slow():
    torch.backends.cudnn.deterministic = True  # hint: DP510
    torch.backends.cudnn.benchmark = False  # hint: DP510


def silent(args, other):
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.deterministic = False
    torch.backends.cudnn.deterministic = args.deterministic
    torch.backends.cudnn.benchmark = not args.deterministic
    other.benchmark = False
    other.deterministic = True


def either(seed):
    if seed is not None:
        cudnn.deterministic = True  # hint: DP510
    else:
        cudnn.benchmark = True
