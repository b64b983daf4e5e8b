import cv2
import keras
import numpy as np


class Patches(keras.utils.PyDataset):
    def __init__(self, paths, labels, **kwargs):
        super().__init__(**kwargs)
        self.paths, self.labels = paths, labels

    def __len__(self):
        return len(self.paths) // 32

    def __getitem__(self, index):
        part = slice(index * 32, index * 32 + 32)
        return np.stack([cv2.imread(path) for path in self.paths[part]]), self.labels[part]


def slow(model: keras.Model, paths, labels):
    train = Patches(paths, labels)
    valid = Patches(paths, labels, workers=8)
    model.fit(train, validation_data=valid, epochs=3)  # expect: DP120


def fast(model: keras.Model, paths, labels):
    train = Patches(paths, labels, workers=8, use_multiprocessing=True)
    model.fit(train, epochs=3)


def from_options(model: keras.Model, paths, labels):
    options = {"workers": 4}
    model.fit(Patches(paths, labels, **options), epochs=3)


def unknown(model: keras.Model, paths, labels, **options):
    model.fit(Patches(paths, labels, **options), epochs=3)
