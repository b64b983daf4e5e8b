import torch
from tensorflow import keras
from tensorflow.keras.layers import Conv2D, Dense, Dropout, Flatten, GlobalAveragePooling2D, MaxPooling2D
from torch import nn

SIZE = 224


def fires():
    a = keras.Sequential(
        [
            Conv2D(32, (3, 3), activation="relu", input_shape=(312, 312, 3)),
            Flatten(),
            Dense(512),  # expect: DP214
        ]
    )
    b = keras.Sequential()
    b.add(Conv2D(64, 3, padding="same", input_shape=(SIZE, SIZE, 3)))
    b.add(MaxPooling2D())
    b.add(Dropout(0.5))
    b.add(Flatten())
    b.add(Dense(1024, activation="relu"))  # expect: DP214
    b.add(Dense(10))
    c = nn.Linear(256 * 64 * 64, 4096)  # expect: DP214
    return a, b, c


def silent(n, size):
    a = keras.Sequential([Conv2D(32, 3, input_shape=(28, 28, 1)), Flatten(), Dense(128)])
    b = keras.Sequential([Conv2D(32, 3, input_shape=(size, size, 3)), Flatten(), Dense(512)])
    c = keras.Sequential([Conv2D(32, 3, input_shape=(312, 312, 3)), GlobalAveragePooling2D(), Dense(512)])
    d = keras.Sequential([Conv2D(32, 3, strides=8, input_shape=(312, 312, 3)), Flatten(), Dense(512)])
    e = nn.Linear(512 * 7 * 7, 4096)
    f = nn.Linear(4096, 128256)
    g = nn.Linear(n * 64 * 64, 4096)
    h = keras.Sequential([Flatten(input_shape=(28, 28)), Dense(512)])
    i = torch.zeros(256 * 64 * 64, 4096)
    return a, b, c, d, e, f, g, h, i
