# keras: ValueError: Error when checking input: expected lstm_1_input to have 3 dimensions, but got array with shape (90, 10)
import numpy as np
from keras.models import Sequential
from keras.layers import LSTM, Dense

series = np.sin(np.arange(100))
X, y = [], []
for i in range(60):
    X.append(series[i:i + 10])
    y.append(series[i + 10])
X = np.array(X)
y = np.array(y)
#+ X = np.reshape(X, (X.shape[0], X.shape[1], 1))
model = Sequential()
model.add(LSTM(32, input_shape=(10, 5)))  # fixed: model.add(LSTM(32, input_shape=(10, 1)))
model.add(Dense(1))
model.compile(loss='mse', optimizer='adam')
model.fit(X, y, epochs=5)  # expect: DP613
