import torch
import torch.distributed as dist


@torch.no_grad()
def validate(model: torch.nn.Module, loader: torch.utils.data.DataLoader):
    model.eval()
    for x in loader:
        model(x)
    model.train()


def train(model: torch.nn.Module, loader, valid: torch.utils.data.DataLoader, optimizer: torch.optim.Optimizer, accelerator):
    rank = dist.get_rank()
    for epoch in range(100):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        if rank == 0:
            validate(model, valid)  # expect: DP445
        if accelerator.is_main_process and epoch > 3:
            validate(model, valid)  # expect: DP445
        if rank == 0:
            torch.save(model.state_dict(), "last.pt")
        validate(model, valid)
    if rank == 0:
        validate(model, valid)
