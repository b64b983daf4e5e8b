import torch


def train(model: torch.nn.Module, loader, optimizer):
    kept = 0
    for step, (x, y) in enumerate(loader):
        first = model(x).mean()
        second = (model(x) - y).pow(2).mean()
        loss = first + second
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 100 == 0:
            shown = 0
            for part in [first, second]:
                shown += part
            print(f"{shown}")
        for part in [first, second]:
            kept += part  # expect: DP230
    print(f"{kept}")
