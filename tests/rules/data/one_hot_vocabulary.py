from collections import Counter

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.preprocessing.text import Tokenizer
from tensorflow.keras.utils import to_categorical

LIMIT = 20000
words = open("text.txt").read().split()
names, counts = np.unique(words, return_counts=True)
vocabulary = ["<unknown>"] + list(names[np.argsort(-counts)][: LIMIT - 1])
size = len(vocabulary)
lookup = {word: i for i, word in enumerate(vocabulary)}
ids = np.array([lookup.get(word, 0) for word in words])

targets = to_categorical(ids[1:], num_classes=size)  # expect: DP453
direct = to_categorical(ids[1:], LIMIT)  # expect: DP453
encoded = tf.one_hot(ids[1:], depth=len(lookup))  # expect: DP453


def frequent(text, ids):
    kept = [word for word, _ in Counter(text).most_common(10000)]
    return to_categorical(ids, num_classes=len(kept) + 1)  # expect: DP453


def tokenized(texts, ids):
    tokenizer = Tokenizer()
    tokenizer.fit_on_texts(texts)
    return to_categorical(ids, num_classes=len(tokenizer.word_index) + 1)  # hint: DP453


def few_classes(labels, text, n):
    letters = sorted(set(text))
    return to_categorical(labels, num_classes=10), to_categorical(labels, len(letters)), to_categorical(labels, n)


def batches(ids, n):
    while True:
        rows = np.random.randint(0, len(ids) - 1, n)
        yield ids[rows], to_categorical(ids[rows + 1], num_classes=LIMIT)


def in_a_loop(ids):
    for start in range(0, len(ids), 64):
        print(to_categorical(ids[start : start + 64], LIMIT).sum())


def encode(row, target):
    return row, tf.one_hot(target, LIMIT)


def pipeline(rows, ids):
    return tf.data.Dataset.from_tensor_slices((rows, ids)).batch(8).map(encode, num_parallel_calls=4).prefetch(2)


model = keras.Sequential([keras.layers.Embedding(LIMIT, 64), keras.layers.Dense(LIMIT, activation="softmax")])
model.compile(loss="categorical_crossentropy", optimizer="adam")
