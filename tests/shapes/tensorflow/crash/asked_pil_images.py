# ValueError: Error when checking input: expected conv2d_1_input to have 4 dimensions, but got array with shape (64, 64, 3)
import numpy as np
from PIL import Image
from keras.models import Sequential
from keras.layers import *

model = Sequential()
model.add(Conv2D(32, (3, 3), activation='relu', input_shape=(64, 64, 3)))
model.add(MaxPooling2D((2, 2)))
model.add(Flatten())
model.add(Dense(2, activation='softmax'))
model.compile(optimizer='adam', loss='categorical_crossentropy')

img = Image.open('test.jpg').convert('RGB').resize((64, 64))
arr = np.asarray(img) / 255.
pred = model.predict(arr)  # expect: DP613 # fixed: pred = model.predict(arr.reshape(1, 64, 64, 3))
