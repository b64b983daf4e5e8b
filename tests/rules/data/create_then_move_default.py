import torch


def train(net, loader, optimizer, where="cuda"):
    for x in loader:
        x = x.to(where, non_blocking=True)
        noise = torch.randn(x.shape).to(where)  # expect: DP401
        optimizer.zero_grad()
        net(x + noise).mean().backward()
        optimizer.step()


def on_host(net, loader, optimizer, where="cpu"):
    for x in loader:
        noise = torch.randn(x.shape).to(where)
        optimizer.zero_grad()
        net(x + noise).mean().backward()
        optimizer.step()
