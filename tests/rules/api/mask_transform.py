import numpy as np
import torch
import torchvision.transforms.functional as TF
from PIL import Image
from torch.utils.data import Dataset
from torchvision import transforms


class Apart(Dataset):
    def __init__(self, images, masks):
        self.images, self.masks = images, masks
        self.augment = transforms.Compose([transforms.RandomCrop(256), transforms.RandomHorizontalFlip(), transforms.ToTensor()])

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image, mask = Image.open(self.images[i]), Image.open(self.masks[i])
        return self.augment(image), self.augment(mask)  # expect: DP173


class Scaled(Dataset):
    def __init__(self, images, masks):
        self.images, self.masks = images, masks
        self.to_tensor = transforms.ToTensor()

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = self.to_tensor(Image.open(self.images[i]))
        mask = self.to_tensor(Image.open(self.masks[i])).squeeze(0).long()  # expect: DP173
        return image, mask


class ScaledByFunction(Scaled):
    def __getitem__(self, i):
        labels = TF.to_tensor(Image.open(self.masks[i]))
        labels = labels.long()  # expect: DP173
        return TF.to_tensor(Image.open(self.images[i])), labels


class Seeded(Apart):
    def __getitem__(self, i):
        image, mask = Image.open(self.images[i]), Image.open(self.masks[i])
        seed = torch.randint(2**31, ()).item()
        torch.manual_seed(seed)
        image = self.augment(image)
        torch.manual_seed(seed)
        return image, self.augment(mask)


class Views(Apart):
    def __getitem__(self, i):
        image = Image.open(self.images[i])
        return self.augment(image), self.augment(image)


class Fixed(Dataset):
    def __init__(self, images, masks):
        self.images, self.masks = images, masks
        self.plain = transforms.Compose([transforms.CenterCrop(256), transforms.ToTensor()])

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image, mask = Image.open(self.images[i]), Image.open(self.masks[i])
        labels = torch.as_tensor(np.array(mask), dtype=torch.long)
        return self.plain(image), self.plain(mask), labels, (self.plain(mask) * 255).long()
