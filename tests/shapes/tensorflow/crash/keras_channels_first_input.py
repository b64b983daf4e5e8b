# keras: ValueError: Negative dimension size caused by subtracting 2 from 1 for 'max_pooling2d_1/MaxPool' with input shapes: [?,1,26,32]
from keras.models import Sequential
from keras.layers import Dense, Dropout, Flatten, Convolution2D, MaxPooling2D

model = Sequential()
model.add(Convolution2D(32, (3, 3), activation='relu', input_shape=(3, 64, 64)))  # fixed: model.add(Convolution2D(32, (3, 3), activation='relu', input_shape=(3, 64, 64), data_format='channels_first'))
model.add(MaxPooling2D(pool_size=(2, 2)))  # expect: DP612  # fixed: model.add(MaxPooling2D(pool_size=(2, 2), data_format='channels_first'))
model.add(Dropout(0.25))
model.add(Flatten())
model.add(Dense(128, activation='relu'))
model.add(Dense(2, activation='softmax'))
model.compile(loss='categorical_crossentropy', optimizer='adam', metrics=['accuracy'])
