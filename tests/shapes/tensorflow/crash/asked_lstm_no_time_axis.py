# ValueError: Error when checking input: expected lstm_1_input to have 3 dimensions, but got array with shape (500, 8)
import numpy as np
from keras.models import Sequential
from keras.layers import LSTM, Dense

def build_model(timesteps, n_features):
    model = Sequential()
    model.add(LSTM(50, input_shape=(timesteps, n_features)))
    model.add(Dense(1))
    model.compile(loss='mae', optimizer='adam')
    return model

data = np.random.rand(500, 9)
train_X, train_y = data[:, :-1], data[:, -1]
#+ train_X = train_X.reshape((train_X.shape[0], 1, train_X.shape[1]))
model = build_model(1, 8)
model.fit(train_X, train_y, epochs=50, batch_size=72, verbose=2, shuffle=False)  # expect: DP613
