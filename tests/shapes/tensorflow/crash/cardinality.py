# tensorflow: there are 800 examples and 1000 labels
import numpy as np
from sklearn.model_selection import train_test_split
from keras.models import Sequential
from keras.layers import Dense

X = np.random.rand(1000, 12)
Y = np.random.randint(0, 2, 1000)
X_train, X_test, y_train, y_test = train_test_split(X, Y, test_size=0.2)
model = Sequential()
model.add(Dense(16, activation='relu', input_shape=(12,)))
model.add(Dense(1, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='adam')
model.fit(X_train, Y, epochs=4)  # expect: DP613  # fixed: model.fit(X_train, y_train, epochs=4)
