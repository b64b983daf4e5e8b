# ValueError: expected dense_input to have shape (4,) but got array with shape (1,)
import numpy as np
from collections import deque
from keras.models import Sequential
from keras.layers import Dense
from keras.optimizers import Adam

class DQNAgent:
    def __init__(self, state_size, action_size):
        self.state_size = state_size
        self.action_size = action_size
        self.memory = deque(maxlen=2000)
        self.model = self._build_model()

    def _build_model(self):
        model = Sequential()
        model.add(Dense(24, input_dim=self.state_size, activation='relu'))
        model.add(Dense(24, activation='relu'))
        model.add(Dense(self.action_size, activation='linear'))
        model.compile(loss='mse', optimizer=Adam(lr=0.001))
        return model

    def act(self, state):
        act_values = self.model.predict(state)  # expect: DP613
        return np.argmax(act_values[0])

agent = DQNAgent(4, 2)
state = np.zeros(4)  # fixed: state = np.zeros((1, 4))
agent.act(state)
