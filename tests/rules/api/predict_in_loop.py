import random

import numpy as np
import tensorflow as tf
from tensorflow import keras

model = keras.models.load_model("model.h5")


def fires(images, paths):
    for image in images:
        print(model.predict(np.expand_dims(image, 0)))  # hint: DP109
    i = 0
    while i < len(images):
        print(model.predict(images[i:i + 1]))  # hint: DP109
        i += 1
    return [model.predict(load(p)) for p in paths]  # hint: DP109


def load(path):
    return np.load(path)


class Agent:
    def __init__(self):
        self.model = keras.Sequential([keras.layers.Dense(2)])

    def play(self, env):
        state = env.reset()
        done = False
        while not done:
            action = self.model.predict(state[None])  # hint: DP109
            state, reward, done = env.step(action)


def per_step(x, labels):
    for a, b in zip(x, labels):
        model.evaluate(a, b)  # hint: DP109


def silent(images, x_test, folds, other):
    y = model.predict(np.stack(images))
    for epoch in range(100):
        model.predict(x_test)
    for train, test in folds:
        model.fit(train)
        model.predict(test)
    for fold in folds:
        net = keras.Sequential([keras.layers.Dense(2)])
        net.predict(fold)
    for image in images:
        other.predict(image)
    for image in images:
        model(image[None], training=False)
    for k in range(3):
        model.predict(images[k])
    for step, image in enumerate(images):
        if step % 100 == 0:
            model.predict(image)
    for batch in tf.data.Dataset.from_tensor_slices(images).batch(3).take(2):
        model.predict(batch)
    for image in images[:4]:
        model.predict(image)
    return y


def batches(images):
    for batch in tf.data.Dataset.from_tensor_slices(images).batch(3):
        x = batch["image"]
        model.predict(x)  # hint: DP109


def read(path):
    x = np.load(path)
    x = x.astype("float32")
    return x


def under_the_same_name(paths):
    for path in paths:
        x = read(path)
        print(model.predict(x))  # hint: DP109


def rows(model: keras.Model, samples: np.ndarray, state, env):
    scores = []
    for i in range(len(samples)):
        scores.append(model.predict(samples[i:i + 1]))  # expect: DP109
    return scores


class Learner:
    def __init__(self):
        self.memory = []
        self.model = keras.Sequential([keras.layers.Dense(2)])

    def replay(self, n):
        batch = random.sample(self.memory, n)
        for state, action, reward, following in batch:
            target = reward + np.amax(self.model.predict(following))  # expect: DP109
            value = self.model.predict(state)
            value[0][action] = target
            self.model.fit(state, value, epochs=1)

    def replay_whole(self, n):
        batch = random.sample(self.memory, n)
        states = np.stack([one[0] for one in batch])
        self.model.train_on_batch(states, self.model.predict(states))


def pictures(paths):
    names = []
    for path in paths:
        picture = keras.preprocessing.image.load_img(path, target_size=(64, 64))
        names.append(model.predict(np.expand_dims(np.array(picture), 0)))  # expect: DP109
    return names


def walk(state):
    for _ in range(100):
        state = np.append(state, model.predict(state.reshape(1, -1)))  # hint: DP109
    return state


def name_of(path):
    picture = keras.preprocessing.image.load_img(path, target_size=(64, 64))
    return model.predict(np.expand_dims(np.array(picture), 0)).argmax()  # expect: DP109


def names_of(paths):
    return {path: name_of(path) for path in paths}


def all_names(paths):
    names = []
    for path in paths:
        names.append(name_of(path))
    return names


def next_of(state):
    return model.predict(state[None])  # hint: DP109


def play(env, state):
    for _ in range(1000):
        state = env.step(next_of(state))
