# keras: ValueError: Error when checking input: expected conv2d_1_input to have 4 dimensions, but got array with shape (50000, 3072)
import numpy as np
from keras.models import Sequential
from keras.layers import Dense, Activation, Flatten
from keras.layers import Conv2D, MaxPooling2D
from keras.utils import np_utils

nb_classes = 10
X_train = np.random.random((500, 3072))
y_train = np.random.randint(0, 10, (500,))
#+ X_train = X_train.reshape(500, 32, 32, 3)
Y_train = np_utils.to_categorical(y_train, nb_classes)

model = Sequential()
model.add(Conv2D(32, (3, 3), padding='same', input_shape=(32, 32, 3)))
model.add(Activation('relu'))
model.add(MaxPooling2D(pool_size=(2, 2)))
model.add(Flatten())
model.add(Dense(nb_classes))
model.add(Activation('softmax'))
model.compile(loss='categorical_crossentropy', optimizer='sgd', metrics=['accuracy'])
model.fit(X_train, Y_train, batch_size=32, epochs=2)  # expect: DP613
