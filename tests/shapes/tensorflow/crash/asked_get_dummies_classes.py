# ValueError: Error when checking target: expected activation_2 to have shape (1,) but got array with shape (6,)
import numpy as np
from keras.models import Sequential
from keras.layers import Dense, Activation
from sklearn.preprocessing import LabelEncoder
from keras.utils import np_utils

features = np.random.uniform(-1, 1, (240, 19))
names = np.random.choice(['a', 'b', 'c', 'd', 'e', 'f'], 240)
encoder = LabelEncoder()
encoded = encoder.fit_transform(names)
onehot = np_utils.to_categorical(encoded, 6)
model = Sequential()
model.add(Dense(12, input_dim=19))
model.add(Activation('relu'))
model.add(Dense(1))  # fixed: model.add(Dense(6))
model.add(Activation('softmax'))
model.compile(loss='categorical_crossentropy', optimizer='adam')
model.fit(features, onehot, epochs=20, batch_size=4)  # expect: DP605
