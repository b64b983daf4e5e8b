# Keras 1: a kernel of three rows and columns, channels first where it is said.
from keras import backend as K
from keras.datasets import mnist
from keras.layers import Convolution2D, Dense, Flatten, Input, MaxPooling2D
from keras.models import Model, Sequential
from keras.utils import np_utils

K.set_image_dim_ordering("th")
(X_train, y_train), _ = mnist.load_data()
X_train = X_train.reshape(X_train.shape[0], 1, 28, 28)
model = Sequential()
model.add(Convolution2D(32, 3, 3, border_mode="same", input_shape=(1, 28, 28)))
model.add(Convolution2D(32, 3, 3, subsample=(2, 2)))
model.add(MaxPooling2D(pool_size=(2, 2), dim_ordering="th"))
model.add(Flatten())
model.add(Dense(output_dim=10, init="normal", activation="softmax"))
model.compile(loss="categorical_crossentropy", optimizer="adadelta")
model.fit(X_train, np_utils.to_categorical(y_train, 10), nb_epoch=2)
given = Input(shape=(8,))
small = Model(input=given, output=Dense(output_dim=2)(given))
