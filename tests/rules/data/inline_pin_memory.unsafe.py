import torch


def fires(x: torch.Tensor, y, device):
    a = x.to(device, non_blocking=True)  # hint: DP403
    b = y.cuda(non_blocking=True)  # hint: DP403
    c = (x + 1).to("cuda")  # hint: DP403
    return a, b, c


def silent(x: torch.Tensor, loader, device, stream):
    a = x.to(device, non_blocking=True)
    b = x.pin_memory()
    c = b.to(device)
    d = x.pin_memory(device).to(device)
    with torch.cuda.stream(stream):
        e = b.cuda(non_blocking=True)
    return a, c, d, e
