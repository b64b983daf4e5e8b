# tensorflow: LSTM takes 3 dimensions with that of the batch, but gets [N, 8, 30, 30, 16]
import numpy as np
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import TimeDistributed, Conv2D, Flatten, LSTM, Dense, GlobalAveragePooling2D

frames, h, w = 8, 32, 32
model = Sequential()
model.add(TimeDistributed(Conv2D(16, 3, activation='relu'), input_shape=(frames, h, w, 3)))
#+ model.add(TimeDistributed(Flatten()))
model.add(LSTM(64))  # expect: DP604
model.add(Dense(2, activation='softmax'))
model.compile('adam', 'sparse_categorical_crossentropy')
model.fit(np.random.rand(10, frames, h, w, 3), np.random.randint(0, 2, 10))
