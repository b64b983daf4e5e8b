# tensorflow: categorical_crossentropy takes one-hot labels, but gets labels [100, 6] and an output of [100, 5]
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers
model = keras.Sequential([layers.Input((20,)), layers.Dense(32, activation='relu'), layers.Dense(5, activation='softmax')])  # fixed: model = keras.Sequential([layers.Input((20,)), layers.Dense(32, activation='relu'), layers.Dense(6, activation='softmax')])
model.compile(optimizer='adam', loss='categorical_crossentropy')
y = keras.utils.to_categorical(np.random.randint(0, 6, 100), 6)
model.fit(np.random.rand(100, 20), y)  # expect: DP605
