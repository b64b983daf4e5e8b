import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.models import Sequential
from tensorflow.keras.preprocessing.text import Tokenizer

words = {f"word{i}": i for i in range(1, 401)}


def table(vectors, rows, size=50):
    matrix = np.zeros((rows, size))
    for word, i in words.items():
        if word in vectors:
            matrix[i] = vectors[word]
    return matrix


def by_name():
    model = Sequential([tf.keras.Input(shape=(30,)), layers.Embedding(len(words) + 1, 50, name="glove"), layers.LSTM(8)])
    model.get_layer("glove").set_weights([table({}, len(words))])  # expect: DP601
    model.get_layer("glove").set_weights([table({}, len(words) + 1)])


def by_place():
    model = Sequential()
    model.add(layers.Embedding(1000, 50))
    model.add(layers.LSTM(8))
    model.layers[0].set_weights([np.zeros((1000, 100))])  # expect: DP601
    model.layers[0].set_weights([np.zeros((1000, 50))])
    model.get_layer(index=0).set_weights([np.zeros((999, 50))])  # expect: DP601


def itself(tokens, limit):
    embedding = layers.Embedding(200, 50)
    embedding(tf.zeros((4, 30), tf.int32))
    embedding.set_weights([np.zeros((201, 50))])  # expect: DP601
    embedding.set_weights([np.zeros((limit, 50))])
    embedding.set_weights([tokens])


def that_grows(seen):
    before = len(seen)
    seen["new"] = 1
    layers.Embedding(len(seen), 50).set_weights([np.zeros((before, 50))])


def attention(x):
    mha = layers.MultiHeadAttention(num_heads=2, key_dim=16)
    mha(x, x)
    mha(query=x, value=x)
    return mha(x)  # expect: DP610


attention(tf.zeros((4, 10, 32)))


def split(x, y, share=0.2, seed=13):
    order = np.random.RandomState(seed).permutation(len(x))
    cut = int(len(x) * (1 - share))
    return x[order[:cut]], x[order[cut:]], y[order[:cut]], y[order[cut:]]


model = Sequential([tf.keras.Input(shape=(11,)), layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
x, y = np.random.rand(200, 11), np.random.randint(0, 2, size=(200,))
x_train, x_test, y_train, y_test = split(x, y)
model.fit(x_train, y_train)
x_train, y_train, x_test, y_test = split(x, y)
model.fit(x_train, y_train)  # expect: DP605, DP613
