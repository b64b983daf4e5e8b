# ValueError: Input 0 of layer dense_1 is incompatible with the layer: expected axis -1 of input shape to have value 64
import numpy as np
from keras.models import Sequential
from keras.layers import Dense, Flatten, Conv2D, MaxPool2D, BatchNormalization
from keras.optimizers import SGD

class LeNet:
    @staticmethod
    def build(width, height, depth, classes):
        model = Sequential()
        shape = (height, width, depth)
        model.add(Conv2D(20, (5, 5), padding='same', input_shape=shape, activation='relu'))
        model.add(MaxPool2D((2, 2), strides=(2, 2)))
        model.add(BatchNormalization())
        model.add(Flatten())
        model.add(Dense(500, activation='relu'))
        model.add(Dense(classes, activation='softmax'))
        return model

def load_data():
    images = np.zeros((300, 32, 32, 3), dtype='float')
    labels = np.zeros((300,), dtype='int')
    return images, labels

X, y = load_data()
model = LeNet.build(width=28, height=28, depth=3, classes=2)  # fixed: model = LeNet.build(width=32, height=32, depth=3, classes=2)
model.compile(loss='sparse_categorical_crossentropy', optimizer=SGD(lr=0.01))
H = model.fit(X, y, batch_size=32, epochs=5)  # expect: DP613
