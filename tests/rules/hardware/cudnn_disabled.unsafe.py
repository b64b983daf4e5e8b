import torch
import torch.backends.cudnn as cudnn

torch.backends.cudnn.enabled = True  # expect: DP514


def fires():
    print("off")
    cudnn.enabled = True  # expect: DP514


def unsure(args):
    if args.deterministic:
        torch.backends.cudnn.enabled = False  # hint: DP514
        print("off")


def silent(args, config):
    torch.backends.cudnn.enabled = True
    torch.backends.cudnn.enabled = args.cudnn
    config.enabled = False
    with torch.backends.cudnn.flags(enabled=False):
        pass
    torch.backends.mkldnn.enabled = False


def around(norm, x):
    torch.backends.cudnn.enabled = False  # hint: DP514
    x = norm(x)
    torch.backends.cudnn.enabled = True
    return x


if __name__ == "__main__":
    cudnn.enabled = True  # expect: DP514
    fires()
