import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

policy = keras.mixed_precision.Policy("mixed_float16")
keras.mixed_precision.set_global_policy(policy)

a = keras.Sequential([layers.Dense(4, activation="softmax"), layers.Dense(3, activation="softmax")])  # expect: DP503

b = keras.Sequential()
b.add(layers.Dense(4, activation="sigmoid"))
b.add(layers.Dense(4))
b.add(layers.Activation("softmax"))  # expect: DP503

inputs = keras.Input((3,))
hidden = layers.Dense(4, activation="sigmoid")(inputs)
outputs = layers.Dense(4, "softmax")(hidden)  # expect: DP503
c = keras.Model(inputs, outputs)

d = keras.Sequential([layers.Dense(3, activation="softmax", dtype="float32")])
e = keras.Sequential([layers.Dense(3, activation="softmax"), layers.Activation("softmax", dtype=tf.float32)])
f = keras.Sequential([layers.Dense(3, activation="relu")])
g = keras.Model(inputs, layers.Activation("linear", dtype="float32")(outputs))
