import cv2
import numpy as np
from tensorflow import keras
from tensorflow.keras.preprocessing.image import load_img


class Images(keras.utils.Sequence):
    def __init__(self, files, labels):
        self.files, self.labels = files, labels

    def __len__(self):
        return len(self.files) // 32

    def __getitem__(self, index):
        part = slice(index * 32, index * 32 + 32)
        return np.stack([self.read(file) for file in self.files[part]]), self.labels[part]

    def read(self, file):
        return cv2.resize(cv2.imread(file), (64, 64))


class Rows(keras.utils.Sequence):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x) // 32

    def __getitem__(self, index):
        return self.x[index * 32:index * 32 + 32], self.y[index * 32:index * 32 + 32]


class Arrays(Rows):
    def __getitem__(self, index):
        return np.load(self.x[index]), self.y[index]


class Workers(keras.utils.PyDataset):
    def __init__(self, files):
        super().__init__(workers=8)
        self.files = files

    def __getitem__(self, index):
        return cv2.imread(self.files[index])


def batches(files):
    while True:
        for file in files:
            yield np.asarray(load_img(file))


def numbers():
    while True:
        yield np.zeros((8, 3)), np.zeros(8)


def build():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


def fires(files, labels):
    model = build()
    model.fit(Images(files, labels), epochs=10)  # expect: DP120
    data = Images(files, labels)
    model.fit(data, epochs=10, workers=1)  # expect: DP120
    model.fit(batches(files), steps_per_epoch=100)  # expect: DP120
    model.fit(Arrays(files, labels))  # hint: DP120


def silent(files, labels, settings):
    model = build()
    model.fit(Images(files, labels), workers=8)
    model.fit(Images(files, labels), workers=settings.workers)
    model.fit(Images(files, labels), use_multiprocessing=True)
    model.fit(Workers(files))
    model.fit(Rows(files, labels))
    model.fit(numbers(), steps_per_epoch=10)
    model.fit(np.zeros((10, 3)), np.zeros(10))
