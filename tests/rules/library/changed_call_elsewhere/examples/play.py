import gym

import worlds.gym

env = gym.make(worlds.gym.NAME)
state = env.reset()
done = False
while not done:
    state, reward, done, info = env.step(env.action_space.sample())
