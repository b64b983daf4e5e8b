# tensorflow: the model takes [N, 10], but gets [1000, 20]
import numpy as np
from keras.models import Sequential
from keras.layers import Dense

X = np.random.random((1000, 20))
y = np.random.randint(2, size=(1000, 1))

model = Sequential()
model.add(Dense(64, input_dim=10, activation='relu'))  # fixed: model.add(Dense(64, input_dim=20, activation='relu'))
model.add(Dense(32, activation='relu'))
model.add(Dense(1, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='rmsprop', metrics=['accuracy'])
model.fit(X, y, epochs=5, batch_size=128)  # expect: DP613
