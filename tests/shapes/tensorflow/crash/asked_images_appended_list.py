# ValueError: expected conv2d_input to have shape (100, 100, 3) but got array with shape (100, 100)
import os
import cv2
import numpy as np
from keras.models import Sequential
from keras.layers import Conv2D, Flatten, Dense
from keras.utils import np_utils

data, labels = [], []
for name in os.listdir('images'):
    img = cv2.imread(os.path.join('images', name))
    img = cv2.cvtColor(img, cv2.COLOR_BGR2GRAY)  # fixed: img = cv2.cvtColor(img, cv2.COLOR_BGR2RGB)
    img = cv2.resize(img, (100, 100))
    data.append(img)
    labels.append(int(name.split('_')[0]))
X = np.array(data, dtype='float32') / 255.0
y = np_utils.to_categorical(labels, 4)
model = Sequential()
model.add(Conv2D(32, (3, 3), input_shape=(100, 100, 3), activation='relu'))
model.add(Flatten())
model.add(Dense(4, activation='softmax'))
model.compile(optimizer='adam', loss='categorical_crossentropy')
model.fit(X, y, batch_size=32, epochs=10)  # expect: DP613
