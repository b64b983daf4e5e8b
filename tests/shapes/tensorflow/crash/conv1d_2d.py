# tensorflow: Conv1D takes at least 3 dimensions with that of the batch, but gets [N, 187]
import numpy as np
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Conv1D, MaxPooling1D, Flatten, Dense

n_features = 187
x_train = np.random.rand(300, n_features)
y_train = np.random.randint(0, 5, 300)
#+ x_train = np.expand_dims(x_train, 2)

model = Sequential()
model.add(Conv1D(32, 3, activation='relu', input_shape=(n_features,)))  # expect: DP604  # fixed: model.add(Conv1D(32, 3, activation='relu', input_shape=(n_features, 1)))
model.add(MaxPooling1D(2))
model.add(Flatten())
model.add(Dense(5, activation='softmax'))
model.compile(loss='sparse_categorical_crossentropy', optimizer='adam')
model.fit(x_train, y_train, epochs=3)
