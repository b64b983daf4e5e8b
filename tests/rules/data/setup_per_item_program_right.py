import torch
from PIL import Image
from torch.utils.data import Dataset
from torchvision import transforms as T


def build(train):
    steps = [T.Resize(256), T.RandomCrop(224), T.RandomHorizontalFlip()] if train else [T.Resize(256), T.CenterCrop(224)]
    return T.Compose(steps + [T.ToTensor()])


class Folder(Dataset):
    def __init__(self, paths, train):
        self.paths, self.train = paths, train
        self.tf = build(train)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return self.tf(Image.open(self.paths[i]).convert("RGB"))
