# tensorflow: LSTM takes 3 dimensions with that of the batch, but gets [N, 32]
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import LSTM, Dense
m = Sequential()
m.add(LSTM(32, input_shape=(10, 4)))  # fixed: m.add(LSTM(32, input_shape=(10, 4), return_sequences=True))
m.add(LSTM(16))  # expect: DP604
m.add(Dense(1))
