# ValueError: Error when checking input: expected lstm_1_input to have 3 dimensions, but got array with shape (800, 40)
import numpy as np
import matplotlib.pyplot as plt
from keras.models import Sequential
from keras.layers import LSTM, Dense

x = np.random.rand(800, 40)
y = np.random.randint(0, 2, (800, 1))
#+ x = x.reshape(800, 40, 1)
model = Sequential()
model.add(LSTM(64, input_shape=(40, 1)))
model.add(Dense(1, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='adam', metrics=['accuracy'])
history = model.fit(x, y, epochs=10, batch_size=32, validation_split=0.2)  # expect: DP613
plt.plot(history.history['acc'])
plt.plot(history.history['val_acc'])
