import numpy as np
from tensorflow import keras


class Agent:
    def __init__(self):
        self.model = keras.Sequential([keras.layers.Dense(24, activation="relu"), keras.layers.Dense(2)])
        self.model.compile("adam", "mse")

    def replay(self, batch):
        for state, action, reward, following, done in batch:
            target = self.model.predict(state)  # expect: DP109
            target[0][action] = reward if done else reward + 0.95 * np.amax(self.model.predict(following)[0])
            self.model.fit(state, target, epochs=1, verbose=0)

    def replay_batch(self, states, following, rewards):
        targets = self.model.predict(states)
        targets[:, 0] = rewards + 0.95 * self.model.predict(following).max(axis=1)
        self.model.fit(states, targets, verbose=0)
