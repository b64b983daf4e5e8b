import torch
from accelerate import Accelerator
from lightning.fabric import Fabric
from torch.utils.data import DataLoader, DistributedSampler
from tqdm import tqdm


def train(model, dataset):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4, pin_memory=True)  # expect: DP848
    model, optimizer = accelerator.prepare(model, optimizer)
    for batch in tqdm(loader):
        loss = model(batch.to(accelerator.device, non_blocking=True)).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


def epoch(accelerator, model, batches, optimizer):
    for step, batch in enumerate(batches):
        loss = model(batch.to(accelerator.device, non_blocking=True)).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


def through_function(model, dataset):
    accelerator = Accelerator(mixed_precision="bf16")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    train_loader = DataLoader(dataset, 8, True, num_workers=4, pin_memory=True)  # expect: DP848
    net, optimizer = accelerator.prepare(model, optimizer)
    for _ in range(3):
        epoch(accelerator, net, train_loader, optimizer)


def with_fabric(model, dataset):
    fabric = Fabric(devices=4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    items = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4)  # expect: DP848
    model, optimizer = fabric.setup(model, optimizer)
    for x in items:
        optimizer.zero_grad()
        fabric.backward(model(x).mean())
        optimizer.step()


# ---- silent


def prepared(model, dataset):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    ready = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4)
    model, optimizer, ready = accelerator.prepare(model, optimizer, ready)
    for batch in ready:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()


def later(model, dataset):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model, optimizer = accelerator.prepare(model, optimizer)
    second = accelerator.prepare(DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4))
    for batch in second:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()


def divided(model, dataset):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model, optimizer = accelerator.prepare(model, optimizer)
    sampler = DistributedSampler(dataset)
    own = DataLoader(dataset, batch_size=8, sampler=sampler, num_workers=4)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for batch in own:
            accelerator.backward(model(batch).mean())
            optimizer.step()
            optimizer.zero_grad()


@torch.no_grad()
def evaluated(model, dataset):
    accelerator = Accelerator()
    model = accelerator.prepare(model)
    held_out = DataLoader(dataset, batch_size=8, num_workers=4)
    return [model(batch).mean() for batch in held_out]
