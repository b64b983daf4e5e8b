# Exception: Error when checking model target: expected activation_2 to have shape (None, 10) but got array with shape (60000, 1)
import numpy as np
from keras.datasets import mnist
from keras.models import Sequential
from keras.layers.core import Dense, Dropout, Activation, Flatten
from keras.layers.convolutional import Convolution2D, MaxPooling2D

(X_train, y_train), (X_test, y_test) = mnist.load_data()
X_train = X_train.reshape(X_train.shape[0], 28, 28, 1).astype('float32')
#+ from keras.utils import np_utils
#+ y_train = np_utils.to_categorical(y_train, 10)

model = Sequential()
model.add(Convolution2D(32, 3, 3, border_mode='valid', input_shape=(28, 28, 1)))
model.add(Activation('relu'))
model.add(MaxPooling2D(pool_size=(2, 2)))
model.add(Flatten())
model.add(Dense(output_dim=128, init='uniform'))
model.add(Activation('relu'))
model.add(Dense(output_dim=10))
model.add(Activation('softmax'))
model.compile(loss='categorical_crossentropy', optimizer='adadelta')
model.fit(X_train, y_train, batch_size=128, nb_epoch=12, verbose=1)  # expect: DP605
