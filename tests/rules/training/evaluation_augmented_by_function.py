import torch
from torch.utils.data import Subset, random_split
from torchvision.datasets import ImageFolder
from torchvision.transforms import v2


def augmented(size):
    return v2.Compose([v2.ToImage(), v2.RandomResizedCrop(size), v2.ToDtype(torch.float32, scale=True)])


def plain(size):
    return v2.Compose([v2.ToImage(), v2.CenterCrop(size), v2.ToDtype(torch.float32, scale=True)])


class Birds:
    def __init__(self, root):
        full = ImageFolder(root, augmented(224))
        generator = torch.Generator().manual_seed(0)
        self.train_set, self.val_set = random_split(full, [0.9, 0.1], generator=generator)  # expect: DP926


class Fixed:
    def __init__(self, root):
        full, same = ImageFolder(root, augmented(224)), ImageFolder(root, plain(224))
        order = torch.randperm(len(full), generator=torch.Generator().manual_seed(0)).tolist()
        self.train_set, self.val_set = Subset(full, order[100:]), Subset(same, order[:100])
