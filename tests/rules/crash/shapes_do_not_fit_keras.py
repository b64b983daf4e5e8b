# Branches of a Keras model that are merged, and products of NumPy arrays.
import numpy as np
from tensorflow.keras.layers import Add, Concatenate, Conv2D, Dense, Flatten, Input, add

picture = Input(shape=(32, 32, 3))
wide = Conv2D(16, 3, padding="same")(picture)
narrow = Conv2D(8, 3, padding="same")(picture)
total = Add()([wide, narrow])  # expect: DP602
shrunk = Conv2D(16, 3)(picture)
total = add([wide, shrunk])  # expect: DP602
both = Concatenate()([wide, shrunk])  # expect: DP602
both = Concatenate()([wide, narrow])
mixed = Concatenate()([wide, Dense(4)(Flatten()(picture))])  # expect: DP604

weights = np.random.randn(4, 3)
product = np.dot(np.ones((8, 3)), weights)  # expect: DP602
product = np.dot(np.ones((8, 4)), weights)
rows = np.concatenate([np.zeros((2, 3)), np.zeros((2, 4))], axis=0)  # expect: DP602
