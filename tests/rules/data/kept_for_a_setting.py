import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self, model: nn.Module, steps: int):
        super().__init__()
        self.model = model
        self.steps = steps

    @torch.inference_mode()
    def sample(self, shape, return_all=False):
        image = torch.randn(shape, device="cuda")
        images = [image]
        for t in range(self.steps):
            image = torch.tanh(self.model(image, t))
            images.append(image)  # expect: DP442
        result = image if not return_all else torch.stack(images, dim=1)
        return result

    @torch.inference_mode()
    def guarded(self, shape, return_all=False):
        image = torch.randn(shape, device="cuda")
        images = [image]
        for t in range(self.steps):
            image = torch.tanh(self.model(image, t))
            if return_all:
                images.append(image)
        return image if not return_all else torch.stack(images, dim=1)

    @torch.inference_mode()
    def wanted(self, shape):
        image = torch.randn(shape, device="cuda")
        images = []
        for t in range(self.steps):
            image = torch.tanh(self.model(image, t))
            images.append(image)
        return torch.stack(images)

    @torch.inference_mode()
    def asked_for_length(self, shape):
        image = torch.randn(shape, device="cuda")
        images = []
        for t in range(self.steps):
            image = torch.tanh(self.model(image, t))
            images.append(image)
        return torch.stack(images) if images else image


@torch.no_grad()
def grid(model: nn.Module, batches, options):
    samples = []
    for batch in batches:
        made = torch.clamp(model(batch.cuda()), 0.0, 1.0)
        samples.append(made)  # hint: DP442
    if not options.skip_grid:
        return torch.stack(samples)
    return None


@torch.no_grad()
def on_host(model: nn.Module, batches, options):
    samples = []
    for batch in batches:
        samples.append(model(batch.cuda()).cpu())
    if not options.skip_grid:
        return torch.stack(samples)
    return None


@torch.no_grad()
def on_both_sides(model: nn.Module, batches, options, wanted):
    samples = []
    for batch in batches:
        made = torch.clamp(model(batch.cuda()), 0.0, 1.0)
        samples.append(made)
    if options.pairs:
        return torch.stack(samples), wanted
    return torch.stack(samples) if wanted else None


@torch.no_grad()
def in_both_branches(model: nn.Module, batches, options):
    samples = []
    for batch in batches:
        made = torch.clamp(model(batch.cuda()), 0.0, 1.0)
        samples.append(made)
    if options.pairs:
        return torch.stack(samples)
    else:
        return torch.cat(samples)


@torch.no_grad()
def padded(rows: torch.Tensor, size, missing):
    empty = []
    for i in range(missing):
        empty.append(torch.zeros(1, size, device="cuda"))
    if missing > 0:
        return torch.cat([rows, torch.cat(empty)])
    return rows
