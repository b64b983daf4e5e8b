# keras: ValueError: Input 0 of layer "sequential" is incompatible with the layer: expected shape=(None, 8), found shape=(None, 9)
import numpy as np
from keras.models import Sequential
from keras.layers import Dense

dataset = np.loadtxt("pima-indians-diabetes.csv", delimiter=",")
train = np.zeros((700, 9))
test = np.zeros((68, 9))
X, Y = train[:, 0:8], train[:, 8]
X_test, Y_test = test[:, 0:9], test[:, 8]  # fixed: X_test, Y_test = test[:, 0:8], test[:, 8]

model = Sequential()
model.add(Dense(12, input_dim=8, activation='relu'))
model.add(Dense(8, activation='relu'))
model.add(Dense(1, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='adam', metrics=['accuracy'])
model.fit(X, Y, epochs=150, batch_size=10)
scores = model.evaluate(X_test, Y_test)  # expect: DP613
