# ValueError: Error when checking input: expected dense_1_input to have shape (2,) but got array with shape (1,)
import numpy as np
from keras.models import Sequential
from keras.layers.core import Dense

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], "float32")
y = np.array([[0], [1], [1], [0]], "float32")
model = Sequential()
model.add(Dense(16, input_dim=2, activation='relu'))
model.add(Dense(1, activation='sigmoid'))
model.compile(loss='mean_squared_error', optimizer='adam')
model.fit(X, y, epochs=500, verbose=2)
print(model.predict(np.array([0, 1])))  # expect: DP613 # fixed: print(model.predict(np.array([[0, 1]])))
