# keras: ValueError: Input 0 of layer max_pooling1d is incompatible with the layer: expected ndim=3, found ndim=2
from keras.models import Sequential
from keras.layers import Embedding, LSTM, MaxPooling1D, Dense

model = Sequential()
model.add(Embedding(5000, 32, input_length=500))
model.add(LSTM(100))  # or here  # fixed: model.add(LSTM(100, return_sequences=True))
model.add(MaxPooling1D(pool_size=2))  # expect: DP604
model.add(Dense(1, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='adam')
