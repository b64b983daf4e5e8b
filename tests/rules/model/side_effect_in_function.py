import random
import time

import numpy as np
import tensorflow as tf

history = []
calls = 0


@tf.function
def fires(x):
    global calls
    y = tf.square(x)
    print("value", y)  # hint: DP208
    print(f"value {x}")  # hint: DP208
    history.append(y)  # hint: DP208
    calls += 1  # hint: DP208
    start = time.time()  # hint: DP208
    angle = np.random.uniform(-1, 1)  # expect: DP208
    if random.random() < 0.5:  # expect: DP208
        y = -y
    return helper(y) * angle + start


def helper(y):
    print(tf.reduce_sum(y))  # hint: DP208
    return y


class Trainer:
    def __init__(self):
        self.count = 0
        self.total = tf.Variable(0)

    @tf.function
    def step(self, x):
        self.count += 1  # hint: DP208
        self.total.assign_add(1)
        return x


def python_step(x):
    print(tf.square(x))
    return x


@tf.function
def silent(x, n):
    print("tracing")
    print("shape", x.shape, type(x))
    tf.print(x)
    local = []
    for i in range(3):
        local.append(tf.square(x))
    total = 0
    total += 1
    noise = tf.random.uniform([])
    tf.py_function(python_step, [x], tf.float32)
    return tf.stack(local) * noise * total


def eager(x):
    global calls
    calls += 1
    y = tf.square(x)
    print(y)
    history.append(y)
    return y * np.random.uniform() * time.time()
