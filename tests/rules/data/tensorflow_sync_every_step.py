import time

import numpy as np
import tensorflow as tf
from tqdm import tqdm

model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
optimizer = tf.keras.optimizers.Adam()


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


@tf.function
def predict(x):
    return model(x, training=False)


def kept(dataset):
    losses = []
    for x, y in dataset:
        loss = train_step(x, y)
        losses.append(loss.numpy())  # expect: DP426
    return losses


def shown(dataset):
    bar = tqdm(dataset)
    for x, y in bar:
        loss = train_step(x, y)
        bar.set_description(f"loss {float(loss):.3f}")  # expect: DP426


def logged(step, loss):
    print(step, np.mean(loss))


def through_function(dataset):
    for step, (x, y) in enumerate(dataset):
        loss = train_step(x, y)
        logged(step, loss)  # expect: DP426


def printed(dataset):
    for x, y in dataset:
        print(train_step(x, y))  # hint: DP426


def predicted(dataset):
    out = []
    for x, _ in dataset:
        out.append(predict(x).numpy())  # hint: DP426
    return out


def silent(dataset):
    mean = tf.keras.metrics.Mean()
    for step, (x, y) in enumerate(dataset):
        loss = train_step(x, y)
        mean.update_state(loss)
        if step % 100 == 0:
            print(float(loss))
    for x, y in dataset:
        start = time.time()
        loss = float(train_step(x, y))
        print(loss, time.time() - start)
    for epoch in range(10):
        for x, y in dataset:
            loss = train_step(x, y)
        print(epoch, loss.numpy())
    for x, y in dataset:
        x.numpy()
        train_step(x, y)
