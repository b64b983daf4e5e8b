# ValueError: Error when checking input: expected conv2d_1_input to have shape (128, 128, 3) but got array with shape (128, 128, 1)
import numpy as np
from keras.models import Sequential
from keras.layers import Conv2D, Flatten, Dense

data = np.load('data.npy')
labels = np.load('labels.npy')
data = data.reshape(-1, 128, 128, 1)
model = Sequential()
model.add(Conv2D(32, (3, 3), input_shape=(128, 128, 3)))  # fixed: model.add(Conv2D(32, (3, 3), input_shape=(128, 128, 1)))
model.add(Flatten())
model.add(Dense(1, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='adam')
model.fit(data, labels)  # expect: DP613 or DP601
