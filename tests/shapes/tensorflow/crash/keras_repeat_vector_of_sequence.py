# keras: ValueError: Input 0 of layer repeat_vector is incompatible with the layer: expected ndim=2, found ndim=3
from keras.models import Sequential
from keras.layers import LSTM, RepeatVector, TimeDistributed, Dense

n_in, n_out, n_features = 9, 4, 1
model = Sequential()
model.add(LSTM(100, activation='relu', input_shape=(n_in, n_features), return_sequences=True))  # or here  # fixed: model.add(LSTM(100, activation='relu', input_shape=(n_in, n_features)))
model.add(RepeatVector(n_out))  # expect: DP604
model.add(LSTM(100, activation='relu', return_sequences=True))
model.add(TimeDistributed(Dense(1)))
model.compile(optimizer='adam', loss='mse')
