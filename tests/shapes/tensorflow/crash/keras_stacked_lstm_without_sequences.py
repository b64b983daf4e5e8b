# keras: ValueError: Input 0 of layer lstm_1 is incompatible with the layer: expected ndim=3, found ndim=2
import numpy as np
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import LSTM, Dense, Dropout

timesteps, features = 30, 8
model = Sequential()
model.add(LSTM(64, input_shape=(timesteps, features)))  # or here  # fixed: model.add(LSTM(64, input_shape=(timesteps, features), return_sequences=True))
model.add(Dropout(0.2))
model.add(LSTM(32))  # expect: DP604
model.add(Dense(1))
model.compile(optimizer="adam", loss="mean_squared_error")
