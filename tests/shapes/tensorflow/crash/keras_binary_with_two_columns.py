# keras: ValueError: logits and labels must have the same shape ((None, 1) vs (None, 2))
import numpy as np
from keras.models import Sequential
from keras.layers import Dense
from keras.utils import to_categorical

X = np.random.random((1000, 20))
y = np.random.randint(2, size=(1000, 1))
y = to_categorical(y, num_classes=2)  # fixed:

model = Sequential()
model.add(Dense(64, input_dim=20, activation='relu'))
model.add(Dense(64, activation='relu'))
model.add(Dense(1, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='rmsprop', metrics=['accuracy'])  # or here
model.fit(X, y, epochs=20, batch_size=128)  # expect: DP605
