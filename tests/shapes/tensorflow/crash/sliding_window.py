# tensorflow: the model takes [N, 20, 1], but gets [?, 1, 20]
import numpy as np
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import LSTM, Dense


def windows(series, look_back):
    xs, ys = [], []
    for i in range(len(series) - look_back):
        xs.append(series[i:i + look_back])
        ys.append(series[i + look_back])
    return np.array(xs), np.array(ys)


series = np.sin(np.arange(0, 500) * 0.1)
X, y = windows(series, 20)
X = X.reshape(X.shape[0], 1, X.shape[1])  # fixed: X = X.reshape(X.shape[0], X.shape[1], 1)
model = Sequential([LSTM(16, input_shape=(20, 1)), Dense(1)])
model.compile('adam', 'mse')
model.fit(X, y, epochs=2)  # expect: DP613
