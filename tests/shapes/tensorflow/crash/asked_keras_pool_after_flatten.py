# ValueError: Input 0 of layer max_pooling2d is incompatible with the layer: expected ndim=4, found ndim=2
import keras
from keras import layers

model = keras.models.Sequential()
model.add(layers.Conv2D(8, 3, input_shape=(32, 32, 3)))
model.add(layers.Flatten())  # fixed:
model.add(layers.MaxPooling2D(2))  # expect: DP604
#+ model.add(layers.Flatten())
model.add(layers.Dense(10))
