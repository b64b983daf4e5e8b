import cv2
import numpy as np
import torch
from PIL import Image
from torchvision.io import read_image


def load(path):
    return cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)


def errors(first, second):
    a = cv2.imread(first)
    b = cv2.imread(second)
    absolute = np.abs(a - b)  # expect: DP998
    squared = a**2  # expect: DP998
    centered = load(first) - 128  # expect: DP998
    total = a + b  # hint: DP998
    return torch.from_numpy(absolute), squared, centered, total


def pictures(first, second):
    a = np.array(Image.open(first).convert("RGB"))
    b = np.asarray(Image.open(second).resize((9, 9)).convert("RGB"))
    difference = a - b  # expect: DP998
    a -= 10  # expect: DP998
    tensor = read_image(first).permute(1, 2, 0)
    return difference, a, tensor - read_image(second)  # expect: DP998


def right(first, second, other):
    a = cv2.imread(first)
    b = cv2.imread(second, cv2.IMREAD_UNCHANGED)
    inverted = 255 - a
    unchanged = b - 10
    shifted = a - 127.5
    scaled = a / 255 - 0.5
    brighter = a + 10
    mean = a - np.array([104.0, 117.0, 123.0])
    signed = (a - 128).astype(np.int8)
    c = a.astype(np.float32)
    floats = c - load(second).astype(np.float32)
    depth = np.array(Image.open(first)) - 5
    unknown = other - 128
    edges = cv2.dilate(a, None) - cv2.erode(a, None)
    return inverted, unchanged, shifted, scaled, brighter, mean, signed, floats, depth, unknown, edges


def either(path, flag):
    a = cv2.imread(path)
    if flag:
        a = a.astype(np.float32)
    return a - 128


def shifted_labels(path):
    labels = cv2.imread(path).squeeze().astype(np.uint8)
    labels[labels == 0] = 255
    return labels - 1
