# keras: ValueError: `TimeDistributed` Layer should be passed an `input_shape` with at least 3 dimensions, received: (None, 64)
from tensorflow.keras import Sequential
from tensorflow.keras.layers import LSTM, TimeDistributed, Dense

model = Sequential()
model.add(LSTM(64, input_shape=(20, 5)))  # or here  # fixed: model.add(LSTM(64, input_shape=(20, 5), return_sequences=True))
model.add(TimeDistributed(Dense(3, activation="softmax")))  # expect: DP604
model.compile(loss="categorical_crossentropy", optimizer="adam")
