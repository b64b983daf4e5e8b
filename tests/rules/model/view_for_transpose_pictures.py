import cv2
import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset


def a(path):
    img = np.array(Image.open(path).convert("RGB"))
    h, w, c = img.shape
    return torch.from_numpy(img.reshape(c, h, w))  # expect: DP268


def b(path):
    img = cv2.imread(path)
    img = cv2.resize(img, (224, 224)).astype(np.float32) / 255
    return torch.tensor(img).view(1, 3, 224, 224)  # expect: DP268


def c(path):
    img = cv2.imread(path)
    img = cv2.resize(img, (224, 224))
    x = np.reshape(img, (3, 224, 224))  # expect: DP268
    return torch.from_numpy(x)


class Pictures(Dataset):
    def __init__(self, paths, size):
        self.paths, self.size = paths, size

    def __len__(self):
        return len(self.paths)

    def load(self, i):
        return Image.open(self.paths[i]).convert("RGB").resize((self.size, self.size))

    def __getitem__(self, i):
        x = np.asarray(self.load(i), dtype=np.float32)
        return torch.from_numpy(x).reshape(3, self.size, self.size)  # expect: DP268


def e(path):
    img = cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)
    return torch.from_numpy(img).unsqueeze(0).view(-1, 3, 64, 64)


def f(path):
    img = cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)
    return torch.from_numpy(img).permute(2, 0, 1).reshape(1, 3, img.shape[0], img.shape[1])


def g(path):
    img = cv2.imread(path)
    return img.transpose(2, 0, 1).reshape(3, -1).mean(1), img.reshape(-1, 3).mean(0), img.reshape((1,) + img.shape)


def h(paths):
    batch = np.stack([cv2.resize(cv2.imread(p), (32, 32)) for p in paths])
    return torch.from_numpy(batch.reshape(len(paths), 3, 32, 32))  # expect: DP268


def i(path):
    img = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
    return img.reshape(1, img.shape[0], img.shape[1])


Pictures(["a"], 224)[0]
