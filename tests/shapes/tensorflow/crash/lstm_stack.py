# tensorflow: LSTM takes 3 dimensions with that of the batch, but gets [N, 50]
from keras.models import Sequential
from keras.layers import LSTM, Dense, Dropout
import numpy as np

timesteps, features = 60, 1
regressor = Sequential()
regressor.add(LSTM(units=50, return_sequences=True, input_shape=(timesteps, features)))
regressor.add(Dropout(0.2))
regressor.add(LSTM(units=50))  # fixed: regressor.add(LSTM(units=50, return_sequences=True))
regressor.add(Dropout(0.2))
regressor.add(LSTM(units=50))  # expect: DP604
regressor.add(Dense(units=1))
regressor.compile(optimizer='adam', loss='mean_squared_error')
X = np.random.rand(200, timesteps, features)
regressor.fit(X, np.random.rand(200), epochs=3, batch_size=32)
