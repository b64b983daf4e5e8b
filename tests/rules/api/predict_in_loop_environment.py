import random

import gymnasium as gym
import numpy as np
from tensorflow import keras


def network(size, actions):
    return keras.Sequential([keras.layers.Input((size,)), keras.layers.Dense(64, "relu"), keras.layers.Dense(actions)])


class Player:
    def __init__(self, size, actions):
        self.actions = actions
        self.net = network(size, actions)

    def act(self, state, epsilon):
        if random.random() < epsilon:
            return random.randrange(self.actions)
        return int(np.argmax(self.net.predict(state[None], verbose=0)[0]))  # expect: DP109

    def act_flat(self, state):
        if np.random.rand() > 0.1:
            return int(np.argmax(self.net.predict(state, verbose=0)[0]))  # expect: DP109
        return 0

    def act_directly(self, state):
        return int(np.argmax(self.net(state[None], training=False)[0]))

    def first_value(self, state):
        return self.net.predict(state[None], verbose=0)[0].max()  # hint: DP109

    def value_of_rare(self, state):
        return self.net.predict(state[None], verbose=0)[0].max()


def play(env, player, episodes=500):
    values = []
    for _ in range(episodes):
        state, _ = env.reset()
        values.append(player.first_value(state))
        done = False
        while not done:
            action = player.act(state, 0.1)
            state, reward, ended, cut, _ = env.step(action)
            done = ended or cut
            if done:
                values.append(player.value_of_rare(state))
    return values


def play_flat(env, player):
    state = np.reshape(env.reset()[0], (1, -1))
    done = False
    while not done:
        flat = np.reshape(state, (1, -1))
        state, reward, done, _, info = env.step(player.act_flat(flat))


def play_here(env, model):
    model = keras.models.load_model("player.keras")
    state, _ = env.reset()
    for _ in range(10_000):
        if random.random() < 0.05:
            action = env.action_space.sample()
        else:
            action = int(np.argmax(model.predict(state[np.newaxis], verbose=0)))  # expect: DP109
        state, reward, ended, cut, _ = env.step(action)


def play_quickly(env, player):
    state, done = env.reset()[0], False
    while not done:
        state, reward, ended, cut, _ = env.step(player.act_directly(state))
        done = ended or cut


def play_many(envs, model):
    model = keras.models.load_model("player.keras")
    states, _ = envs.reset()
    for _ in range(10_000):
        actions = np.argmax(model.predict(states, verbose=0), axis=1)  # hint: DP109
        states, rewards, ended, cut, _ = envs.step(actions)


if __name__ == "__main__":
    world = gym.make("CartPole-v1")
    play(world, Player(4, 2))
    play_flat(world, Player(4, 2))
    play_quickly(world, Player(4, 2))
