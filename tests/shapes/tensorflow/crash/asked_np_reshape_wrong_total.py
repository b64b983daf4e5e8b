# ValueError: cannot reshape array of size 2352000 into shape (1000,28,28)
import numpy as np
import keras

images = np.random.randint(0, 255, (1000, 28, 28, 3))
images = images.reshape(images.shape[0], 28, 28)  # expect: DP603 # fixed: images = images.mean(axis=3).reshape(images.shape[0], 28, 28, 1)
images = images.astype('float32') / 255
model = keras.Sequential([
    keras.layers.Conv2D(8, 3, input_shape=(28, 28, 1)),
    keras.layers.Flatten(),
    keras.layers.Dense(10)])
model.predict(images)
