# ValueError: Error when checking target: expected dense_2 to have shape (1,) but got array with shape (4,)
import numpy as np
from keras.models import Sequential
from keras.layers import Flatten, Dense

def batches(batch_size=32):
    while True:
        x = np.random.random((batch_size, 16, 16))
        y = np.random.randint(0, 2, (batch_size, 4))
        yield x, y

model = Sequential()
model.add(Flatten(input_shape=(16, 16)))
model.add(Dense(64, activation='relu'))
model.add(Dense(1, activation='sigmoid'))  # fixed: model.add(Dense(4, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='adam')
model.fit_generator(batches(), steps_per_epoch=10, epochs=3)  # expect: DP605
