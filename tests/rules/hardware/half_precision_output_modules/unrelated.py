from tensorflow import keras

inputs = keras.Input((32,))
model = keras.Model(inputs, keras.layers.Dense(10, activation="softmax")(inputs))
