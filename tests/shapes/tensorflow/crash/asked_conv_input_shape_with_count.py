# ValueError: Input 0 is incompatible with layer conv2d_1: expected ndim=4, found ndim=5
import numpy as np
import keras
from keras.models import Sequential
from keras.layers import Conv2D, Dense, Flatten

x_train = np.random.random((1000, 64, 64, 3))
y_train = np.random.randint(2, size=(1000, 1))

model = Sequential()
model.add(Conv2D(32, kernel_size=(3, 3), activation='relu', input_shape=x_train.shape))  # fixed: model.add(Conv2D(32, kernel_size=(3, 3), activation='relu', input_shape=x_train.shape[1:]))
model.add(Flatten())
model.add(Dense(1, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='rmsprop')
model.fit(x_train, y_train, batch_size=32)  # expect: DP613
