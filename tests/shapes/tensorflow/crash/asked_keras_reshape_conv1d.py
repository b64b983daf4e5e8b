# ValueError: Negative dimension size caused by subtracting 3 from 1 for 'conv1d_1/convolution'
import numpy as np
from keras.models import Sequential
from keras.layers import Conv1D, GlobalMaxPooling1D, Dense

X = np.random.rand(200, 20)
y = np.random.randint(0, 2, 200)
X = X.reshape(200, 1, 20)  # fixed: X = X.reshape(200, 20, 1)
model = Sequential()
model.add(Conv1D(64, 3, activation='relu', input_shape=(X.shape[1], X.shape[2])))  # expect: DP612
model.add(GlobalMaxPooling1D())
model.add(Dense(1, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='adam')
model.fit(X, y, epochs=3)
