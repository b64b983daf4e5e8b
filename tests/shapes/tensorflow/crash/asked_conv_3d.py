# ValueError: Input 0 of layer conv3d is incompatible with the layer: expected ndim=5, found ndim=4
import numpy as np
from keras.models import Sequential
from keras.layers import Conv3D, Flatten, Dense
X = np.random.rand(10, 16, 64, 64, 1)
model = Sequential()
model.add(Conv3D(8, kernel_size=(3, 3, 3), input_shape=(64, 64, 1)))  # expect: DP604 # fixed: model.add(Conv3D(8, kernel_size=(3, 3, 3), input_shape=(16, 64, 64, 1)))
model.add(Flatten())
model.add(Dense(2))
