from tensorflow import keras
from tensorflow.keras.datasets import mnist
from tensorflow.keras.layers import Dense
from tensorflow.keras.utils import to_categorical

CLASSES = 10


def one_unit():
    model = keras.Sequential([Dense(1, activation="sigmoid")])
    model.compile("adam", loss="categorical_crossentropy")  # expect: DP822
    model.compile("adam", loss="sparse_categorical_crossentropy")  # expect: DP822
    model.compile("adam", loss=keras.losses.CategoricalCrossentropy())  # expect: DP822
    model.compile("adam", loss="binary_crossentropy")


def many_classes(n):
    model = keras.Sequential([Dense(CLASSES, activation="softmax")])
    model.compile("adam", loss="binary_crossentropy")  # expect: DP822
    model.compile("adam", loss="categorical_crossentropy")
    other = keras.Sequential([Dense(CLASSES, activation="sigmoid")])
    other.compile("adam", loss="binary_crossentropy")
    two = keras.Sequential([Dense(2, activation="softmax")])
    two.compile("adam", loss="binary_crossentropy")
    unknown = keras.Sequential([Dense(n, activation="softmax")])
    unknown.compile("adam", loss="binary_crossentropy")


def one_hot_labels():
    (x, y), _ = mnist.load_data()
    y = to_categorical(y, CLASSES)
    model = keras.Sequential([Dense(CLASSES, activation="softmax")])
    model.compile("adam", loss="sparse_categorical_crossentropy")
    model.fit(x, y, epochs=5)  # expect: DP605, DP822


def class_numbers():
    (x, y), (xt, yt) = mnist.load_data()
    model = keras.Sequential([Dense(CLASSES, activation="softmax")])
    model.compile("adam", loss="categorical_crossentropy")
    model.fit(x, y, epochs=5)  # expect: DP605, DP822
    model.fit(x, to_categorical(y), epochs=5)  # expect: DP605


def fitting():
    (x, y), (xt, yt) = mnist.load_data()
    a = keras.Sequential([Dense(CLASSES, activation="softmax")])
    a.compile("adam", loss="sparse_categorical_crossentropy")
    a.fit(x, y)  # expect: DP605
    y = to_categorical(y)
    b = keras.Sequential([Dense(CLASSES, activation="softmax")])
    b.compile("adam", loss="categorical_crossentropy")
    b.fit(x, y)  # expect: DP605
    y = y.argmax(-1)
    a.fit(x, y)
    regression = keras.Sequential([Dense(1)])
    regression.compile("adam", loss="mse")
    regression.fit(x, y)
