import random

import torch
from PIL import Image
from torch.utils.data import Dataset
from torchvision import datasets
from torchvision import transforms as T
from torchvision.io import read_image

FLIP = T.RandomHorizontalFlip()


class Roads(Dataset):
    def __init__(self, names, split):
        self.names = names
        if split == "train":
            self.moving = T.Compose([T.RandomCrop(256), T.RandomVerticalFlip()])
        else:
            self.moving = T.CenterCrop(256)
        self.color = T.ColorJitter(0.2, 0.2)

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        image = read_image(f"images/{self.names[i]}")
        mask = read_image(f"masks/{self.names[i]}")
        image = self.color(self.moving(image))
        mask = self.moving(mask)  # expect: DP173
        return image, mask


class Cells(Dataset):
    def __init__(self, names):
        self.names = names
        self.of_image = T.Compose([T.RandomRotation(30), T.ToTensor()])
        self.of_mask = T.Compose([T.RandomRotation(30), T.PILToTensor()])

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        image = Image.open(f"images/{self.names[i]}")
        label_map = Image.open(f"labels/{self.names[i]}").convert("L")
        return self.of_image(image), self.of_mask(label_map)  # expect: DP173


def flipped(image, mask):
    return FLIP(image), FLIP(mask)  # expect: DP173


def depth_of(image, depth):
    return FLIP(image), FLIP(depth)  # hint: DP173


def together(image, mask):
    both = FLIP(torch.cat([image, mask]))
    return both[:3], both[3:]


def same_seed(image, mask):
    seed = random.randrange(1 << 30)
    torch.manual_seed(seed)
    image = FLIP(image)
    torch.manual_seed(seed)
    return image, FLIP(mask)


class Views(Dataset):
    def __init__(self, names):
        self.names = names
        self.augment = T.Compose([T.RandomResizedCrop(224), T.RandomHorizontalFlip()])
        self.resize = T.Resize((256, 256))

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        image = read_image(self.names[i])
        other = read_image(self.names[i - 1])
        return self.augment(image), self.augment(image), self.augment(other)

    def resized(self, image, mask):
        return self.resize(image), self.resize(mask)


def only_colors(image, mask, jitter=T.ColorJitter(0.2)):
    return jitter(image), mask


segmentation = datasets.VOCSegmentation(  # expect: DP173
    "voc",
    transform=T.Compose([T.RandomHorizontalFlip(), T.ToTensor()]),
    target_transform=T.Compose([T.RandomHorizontalFlip(), T.PILToTensor()]),
)
fixed_masks = datasets.VOCSegmentation(
    "voc", transform=T.Compose([T.Resize(256), T.ToTensor()]), target_transform=T.Compose([T.Resize(256), T.PILToTensor()])
)
