# Arrays that a Keras model is given.
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

(x_train, y_train), (x_test, y_test) = keras.datasets.mnist.load_data()
model = keras.Sequential([layers.Dense(64, activation="relu", input_shape=(784,)), layers.Dense(10, activation="softmax")])
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
model.fit(x_train, y_train, epochs=5)  # expect: DP613
model.fit(x_train.reshape(60000, 784), y_train, epochs=5)
model.evaluate(x_test.reshape(-1, 784), y_train)  # expect: DP613

inputs = keras.Input(shape=(20, 3))
series = keras.Model(inputs, layers.Dense(1)(layers.LSTM(8)(inputs)))
series.predict(np.zeros((100, 20)))  # expect: DP613
series.predict(np.zeros((100, 20, 4)))  # expect: DP613
series.predict(np.zeros((20, 3)))  # expect: DP613
series.predict(np.zeros((100, 20, 3)))

# Keras adds the last dimension.
pictures = keras.Sequential([layers.Conv2D(8, 3, input_shape=(28, 28, 1)), layers.Flatten(), layers.Dense(10)])
pictures.predict(x_test)
