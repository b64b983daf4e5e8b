# tensorflow: Conv2D leaves nothing of [N, 1, 28, 28]: its window of 5 is larger than the 1 that are left
from keras.models import Sequential
from keras.layers import Conv2D, MaxPooling2D, Flatten, Dense
import numpy as np

x = np.random.rand(60, 1, 28, 28)
y = np.random.randint(0, 10, 60)
model = Sequential()
model.add(Conv2D(16, (5, 5), input_shape=(1, 28, 28)))  # expect: DP612  # fixed: model.add(Conv2D(16, (5, 5), input_shape=(1, 28, 28), data_format='channels_first'))
model.add(MaxPooling2D((2, 2)))  # fixed: model.add(MaxPooling2D((2, 2), data_format='channels_first'))
model.add(Flatten())
model.add(Dense(10, activation='softmax'))
model.compile('adam', 'sparse_categorical_crossentropy')
model.fit(x, y)
