# tensorflow: categorical_crossentropy takes one-hot labels, but gets labels [100, 4] and an output of [100, 13, 13, 4]
import numpy as np
from keras.models import Sequential
from keras.layers import Dense, Conv2D, MaxPooling2D, Activation, Flatten
from keras.utils import to_categorical

num_classes = 4
x = np.random.rand(100, 32, 32, 3)
y = to_categorical(np.random.randint(0, num_classes, 100), num_classes)

model = Sequential()
model.add(Conv2D(32, (3, 3), input_shape=(32, 32, 3)))
model.add(Activation('relu'))
model.add(MaxPooling2D(pool_size=(2, 2)))
model.add(Conv2D(64, (3, 3)))
model.add(Activation('relu'))
#+ model.add(Flatten())
model.add(Dense(64, activation='relu'))
model.add(Dense(num_classes))
model.add(Activation('softmax'))
model.compile(loss='categorical_crossentropy', optimizer='adam', metrics=['accuracy'])
model.fit(x, y, batch_size=16, epochs=3, validation_split=0.2)  # expect: DP605
