# tensorflow: the model takes [N, 8], but gets [8]
import numpy as np
from keras.models import Sequential
from keras.layers import Dense

model = Sequential()
model.add(Dense(12, input_dim=8, activation='relu'))
model.add(Dense(8, activation='relu'))
model.add(Dense(1, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='adam')
X = np.random.rand(768, 8)
Y = np.random.randint(0, 2, 768)
model.fit(X, Y, epochs=15, batch_size=10)
sample = np.array([6, 148, 72, 35, 0, 33.6, 0.627, 50])
print(model.predict(sample))  # expect: DP613  # fixed: print(model.predict(sample.reshape(1, -1)))
