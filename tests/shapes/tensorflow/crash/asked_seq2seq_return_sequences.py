# ValueError: Dimensions must be equal, but are 12 and 24: the targets have other steps than the output
import numpy as np
from tensorflow.keras.layers import LSTM, Dense, RepeatVector, TimeDistributed, Input
from tensorflow.keras.models import Sequential

n_in, n_out = 24, 12
X = np.random.rand(300, n_in, 3)
Y = np.random.rand(300, n_out, 3)
model = Sequential([
    Input(shape=(n_in, 3)),
    LSTM(100, activation='relu'),
    RepeatVector(n_in),  # fixed: RepeatVector(n_out),
    LSTM(100, activation='relu', return_sequences=True),
    TimeDistributed(Dense(3)),
])
model.compile(optimizer='adam', loss='mse')
model.fit(X, Y, epochs=100)  # expect: DP605
