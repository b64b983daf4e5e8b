import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load(path, options):
    a = torch.load(path, weights_only=True)  # hint: DP516
    b = torch.load(path, map_location=device, weights_only=True)
    c = torch.load(path, "cpu", weights_only=True)
    d = torch.load(path, **options)
    return a, b, c, d
