import cv2
import numpy as np
import torch
import torch.nn.functional as F
import torchvision.transforms.functional as TF
from PIL import Image
from scipy import ndimage
from torch.utils.data import Dataset
from torchvision import transforms
from torchvision.transforms import InterpolationMode


def scaled(mask, size):
    return cv2.resize(mask, size)  # expect: DP431


class Masks(Dataset):
    def __init__(self, files, size):
        self.files = files
        self.size = size
        self.resize = transforms.Resize((256, 256))
        self.nearest = transforms.Resize((256, 256), interpolation=InterpolationMode.NEAREST)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        first = cv2.imread(self.files[index], 0)
        first = cv2.resize(first, (256, 256))  # expect: DP431
        second = Image.open(self.files[index]).convert("L")
        second = second.resize((256, 256))  # expect: DP431
        third = scaled(cv2.imread(self.files[index], 0), self.size)
        fourth = Image.open(self.files[index]).resize((256, 256))  # hint: DP431
        fifth = self.resize(Image.open(self.files[index]).convert("L"))  # expect: DP431
        sixth = ndimage.zoom(np.load(self.files[index]), 0.5)  # expect: DP431
        return (
            torch.from_numpy(first).long(),
            torch.from_numpy(np.array(second)).to(torch.long),
            torch.as_tensor(third, dtype=torch.long),
            torch.from_numpy(np.array(fourth)).long().unsqueeze(0),
            torch.from_numpy(np.array(fifth)).long(),
            torch.tensor(sixth, dtype=torch.int64),
        )


class Right(Masks):
    def __getitem__(self, index):
        image = cv2.resize(cv2.imread(self.files[index]), (256, 256))
        first = cv2.resize(cv2.imread(self.files[index], 0), (256, 256), interpolation=cv2.INTER_NEAREST)
        second = Image.open(self.files[index]).convert("L").resize((256, 256), Image.NEAREST)
        third = self.nearest(Image.open(self.files[index]).convert("L"))
        fourth = TF.resize(Image.open(self.files[index]).convert("L"), (9, 9), InterpolationMode.NEAREST)
        fifth = ndimage.zoom(np.load(self.files[index]), 0.5, order=0)
        sixth = cv2.resize(cv2.imread(self.files[index], 0), (256, 256)) > 127
        return (
            torch.from_numpy(image).float(),
            torch.from_numpy(first).long(),
            torch.from_numpy(np.array(second)).long(),
            torch.from_numpy(np.array(third)).long(),
            torch.from_numpy(np.array(fourth)).long(),
            torch.from_numpy(fifth).long(),
            torch.from_numpy(sixth).long(),
        )


def loss(logits, mask):
    mask = F.interpolate(mask[:, None].float(), size=(64, 64), mode="bilinear").squeeze(1)  # expect: DP431
    return F.cross_entropy(logits, mask.long())


def loss_right(logits, mask):
    logits = F.interpolate(logits, size=(64, 64), mode="bilinear")
    predicted = logits.argmax(1).long()
    mask = F.interpolate(mask[:, None].float(), size=(64, 64), mode="nearest").squeeze(1)
    return F.cross_entropy(logits, mask.long()), predicted
