# keras: ValueError: Input 0 of layer conv1d is incompatible with the layer: expected min_ndim=3, found ndim=2. Full shape received: (None, 187)
import numpy as np
import pandas as pd
from keras.models import Sequential
from keras.layers import Conv1D, MaxPooling1D, Flatten, Dense

train = pd.read_csv("mitbih_train.csv", header=None)
X = train.iloc[:, :187].values
y = train.iloc[:, 187].values

model = Sequential()
model.add(Conv1D(64, 6, activation='relu', input_shape=(187,)))  # expect: DP604  # fixed: model.add(Conv1D(64, 6, activation='relu', input_shape=(187, 1)))
model.add(MaxPooling1D(3))
model.add(Flatten())
model.add(Dense(5, activation='softmax'))
model.compile(loss='sparse_categorical_crossentropy', optimizer='adam')
