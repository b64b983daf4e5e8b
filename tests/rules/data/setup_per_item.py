import glob
import os

import torch
import torchvision.transforms as T
from torch.utils.data import Dataset
from torchvision import transforms
from transformers import AutoTokenizer


class Pictures(Dataset):
    def __init__(self, folder, size):
        self.folder = folder
        self.size = size
        self.transform = transforms.Compose([transforms.ToTensor()])

    def __len__(self):
        return 10

    def __getitem__(self, index):
        transform = transforms.Compose([transforms.Resize(self.size), transforms.ToTensor()])  # expect: DP407
        other = T.Compose([T.ToTensor()])  # expect: DP407
        names = os.listdir(self.folder)  # expect: DP407
        found = glob.glob(os.path.join(self.folder, "*.png"))  # expect: DP407
        tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")  # expect: DP407
        return transform(names[index]), other, found, tokenizer


class Fine(Dataset):
    def __init__(self, folders, augment):
        self.folders = folders
        self.augment = augment
        self.transform = None

    def __getitem__(self, index):
        names = os.listdir(self.folders[index])
        files = glob.glob(f"frames/{index}/*.png")
        crop = transforms.Compose([transforms.CenterCrop(index)])
        if self.transform is None:
            self.transform = transforms.Compose([transforms.ToTensor()])
        return self.transform(names), files, crop

    def prepare(self):
        return transforms.Compose([transforms.ToTensor()])


def build():
    return transforms.Compose([transforms.ToTensor()]), torch.zeros(1)
