# ValueError: Input 0 of layer dense is incompatible with the layer: expected axis -1 of input shape to have value 13 but received input with shape [13, 1]
import numpy as np
import tensorflow as tf

features = np.random.rand(506, 13).astype('float32')
prices = np.random.rand(506).astype('float32')
dataset = tf.data.Dataset.from_tensor_slices((features, prices))
dataset = dataset.shuffle(506)  # fixed: dataset = dataset.shuffle(506).batch(32)
model = tf.keras.Sequential([
    tf.keras.layers.Dense(64, activation='relu', input_shape=(13,)),
    tf.keras.layers.Dense(1)])
model.compile(optimizer='rmsprop', loss='mse')
model.fit(dataset, epochs=5)  # expect: DP613
