# keras: ValueError: Input 0 of layer conv3d is incompatible with the layer: expected min_ndim=5, found ndim=4
from keras.models import Sequential
from keras.layers import Conv3D, MaxPooling3D, Flatten, Dense

model = Sequential()
model.add(Conv3D(8, (3, 3, 3), activation='relu', input_shape=(64, 64, 30)))  # expect: DP604  # fixed: model.add(Conv3D(8, (3, 3, 3), activation='relu', input_shape=(64, 64, 30, 1)))
model.add(MaxPooling3D(pool_size=(2, 2, 2)))
model.add(Flatten())
model.add(Dense(2, activation='softmax'))
