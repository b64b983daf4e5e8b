# tensorflow: the model takes [N, 32, 32, 3], but gets [32, 32, 3]
import numpy as np
from tensorflow.keras import Sequential, layers
m = Sequential([layers.Input((32, 32, 3)), layers.Conv2D(8, 3), layers.GlobalAveragePooling2D(), layers.Dense(2)])
img = np.zeros((32, 32, 3), 'float32')
print(m.predict(img))  # expect: DP613  # fixed: print(m.predict(img[None]))
