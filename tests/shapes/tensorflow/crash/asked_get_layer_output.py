# ValueError: Input 0 of layer dense is incompatible: expected shape (None, 4096)
import numpy as np
from keras.applications.vgg16 import VGG16
from keras.models import Model, Sequential
from keras.layers import Dense, Flatten, Dropout

base = VGG16(include_top=False, weights='imagenet', input_shape=(150, 150, 3))
train_features = base.predict(np.zeros((20, 150, 150, 3)))
top = Sequential()
top.add(Flatten(input_shape=train_features.shape[1:]))
top.add(Dense(256, activation='relu'))
top.add(Dropout(0.5))
top.add(Dense(1, activation='sigmoid'))
top.compile(optimizer='rmsprop', loss='binary_crossentropy')
labels = np.array([0] * 10 + [1] * 20)  # fixed: labels = np.array([0] * 10 + [1] * 10)
top.fit(train_features, labels, epochs=5)  # expect: DP613
