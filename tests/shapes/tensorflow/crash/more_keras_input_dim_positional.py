# keras: the model expects shape (None, 4) and found (None, 2)
import numpy as np
from keras.models import Sequential
from keras.layers.core import Dense, Activation

X = np.zeros((4, 2), dtype='uint8')
y = np.zeros(4, dtype='uint8')
model = Sequential()
model.add(Dense(2, input_dim=4))  # fixed: model.add(Dense(2, input_dim=2))
model.add(Activation('sigmoid'))
model.add(Dense(1))
model.add(Activation('sigmoid'))
model.compile(loss='mean_squared_error', optimizer='sgd')
history = model.fit(X, y, nb_epoch=10000, batch_size=4)  # expect: DP613
