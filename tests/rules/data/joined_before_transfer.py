import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(dataset, model, optimizer):
    loader = DataLoader(dataset, 64, shuffle=True, pin_memory=True, num_workers=4, persistent_workers=True)
    for images, labels in loader:
        images = torch.cat([images[0], images[1]], dim=0)  # expect: DP456
        images = images.cuda(non_blocking=True)
        labels = labels.cuda(non_blocking=True)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()


def in_place(data_loader, model, device, optimizer):
    for step, (first, second, targets) in enumerate(data_loader):
        out = model(torch.stack((first, second)).to(device))  # hint: DP456
        optimizer.zero_grad()
        out.mean().backward()
        optimizer.step()


@torch.no_grad()
def rank(data_loader, model, device, k):
    feats = []
    for image, _ in data_loader:
        feats.append(model(image.to(device)).cpu())
    feats = torch.cat(feats, dim=0)
    scores = []
    for i in range(len(feats)):
        scores.append(model(feats[i].repeat(k, 1, 1).to(device)))  # expect: DP456
    return scores


def silent(dataset, model, device, bank):
    loader = DataLoader(dataset, 64, shuffle=True, pin_memory=True, num_workers=4, persistent_workers=True)
    for first, second in loader:
        first = first.to(device, non_blocking=True)
        second = second.to(device, non_blocking=True)
        both = torch.cat([first, second])
        again = both.to(device)
        rows = [model(both), model(again)]
        stacked = torch.stack(rows).to(device)
        model(stacked + bank.repeat(2, 1).to(device))


class Generated:
    def __iter__(self):
        for _ in range(1000):
            yield torch.zeros(4, 4, device="cuda"), torch.zeros(4, 4, device="cuda")


def on_device(model, device):
    for first, second in Generated():
        model(torch.cat([first, second]).to(device))


def prepared(dataset, model):
    accelerator = Accelerator()
    loader = DataLoader(dataset, 64, shuffle=True, pin_memory=True, num_workers=4, persistent_workers=True)
    model, loader = accelerator.prepare(model, loader)
    for first, second in loader:
        model(torch.cat([first, second]).cuda())


def sizes(model: torch.nn.Module, loader):
    for batch in loader:
        lengths = torch.tensor(batch.shape[1]).repeat(len(batch))
        model(batch.cuda(), lengths.to("cuda"))
