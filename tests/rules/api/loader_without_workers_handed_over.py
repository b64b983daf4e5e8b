from dataclasses import dataclass, field

from torch.utils.data import ConcatDataset, DataLoader, random_split
from torchvision import transforms
from torchvision.datasets import ImageFolder

SHARED = {"num_workers": 0, "pin_memory": True}


@dataclass
class Config:
    batch_size: int = 64
    loader: dict = field(default_factory=lambda: {"num_workers": 0})
    fast: dict = field(default_factory=lambda: {"num_workers": 8, "persistent_workers": True})


def loaders(config: Config):
    images = ImageFolder("train", transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()]))
    return (
        DataLoader(images, batch_size=config.batch_size, shuffle=True, **config.loader),  # expect: DP130
        DataLoader(images, batch_size=config.batch_size, shuffle=True, **config.fast),
        DataLoader(images, batch_size=config.batch_size, shuffle=True, **SHARED),
        DataLoader(images, batch_size=config.batch_size, shuffle=True, num_workers=0),  # hint: DP130
    )


def parts(workers=0):
    first = ImageFolder("first", transforms.ToTensor())
    second = ImageFolder("second", transforms.ToTensor())
    train, val = random_split(dataset=ConcatDataset(datasets=[first, second]), lengths=[0.9, 0.1])
    return DataLoader(train, batch_size=64, shuffle=True, num_workers=workers), val  # expect: DP130


def main():
    return loaders(Config()), parts()
