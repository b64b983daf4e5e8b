import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms import Compose, RandomResizedCrop, ToTensor


def to_device(batch, device):
    if isinstance(batch, (list, tuple)):
        return [to_device(b, device) for b in batch]
    return batch.to(device, non_blocking=True)


class DeviceLoader:
    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    def __iter__(self):
        for b in self.loader:
            yield to_device(b, self.device)

    def __len__(self):
        return len(self.loader)


def main(root):
    device = torch.device("cuda")
    data = ImageFolder(root, Compose([RandomResizedCrop(224), ToTensor()]))
    loader = DeviceLoader(DataLoader(data, 128, shuffle=True, num_workers=8, pin_memory=True, persistent_workers=True), device)
    net = torch.hub.load("pytorch/vision", "resnet50").to(device)
    opt = torch.optim.SGD(net.parameters(), 0.1)
    for epoch in range(90):
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            opt.step()
