# keras: the model expects shape (None, 3) and found (None, 2)
import numpy as np
from keras.models import Sequential
from keras.layers import Dense

x1 = np.random.rand(100)
x2 = np.random.rand(100)
X = np.column_stack((x1, x2))
y = x1 + x2
model = Sequential()
model.add(Dense(4, input_shape=(3,), activation='relu'))  # fixed: model.add(Dense(4, input_shape=(2,), activation='relu'))
model.add(Dense(1))
model.compile(optimizer='sgd', loss='mse')
model.fit(X, y)  # expect: DP613
