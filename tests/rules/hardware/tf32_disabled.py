import torch


def fires():
    torch.backends.cuda.matmul.allow_tf32 = False  # hint: DP511
    torch.backends.cudnn.allow_tf32 = False  # hint: DP511
    torch.set_float32_matmul_precision("highest")  # hint: DP511


def silent(args, other):
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cuda.matmul.allow_tf32 = args.tf32
    torch.set_float32_matmul_precision("high")
    torch.set_float32_matmul_precision(args.precision)
    other.allow_tf32 = False
    return torch.backends.cuda.matmul.allow_tf32
