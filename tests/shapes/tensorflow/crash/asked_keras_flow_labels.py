# ValueError: `x` (images tensor) and `y` (labels) should have the same length. Found: x.shape = (500, 32, 32, 3), y.shape = (400, 10)
import numpy as np
from keras.preprocessing.image import ImageDataGenerator
from keras.utils import to_categorical

x = np.random.rand(500, 32, 32, 3)
y = to_categorical(np.random.randint(0, 10, 400), 10)  # fixed: y = to_categorical(np.random.randint(0, 10, 500), 10)
datagen = ImageDataGenerator(rotation_range=20)
it = datagen.flow(x, y, batch_size=32)  # expect: DP613
