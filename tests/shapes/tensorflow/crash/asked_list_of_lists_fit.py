# ValueError: Layer sequential expects 1 input(s), but it received 4 input tensors (a list of lists)
import numpy as np
import tensorflow as tf

xs = [[0, 0], [0, 1], [1, 0], [1, 1]]  # fixed: xs = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
ys = [[0], [1], [1], [0]]  # fixed: ys = np.array([[0], [1], [1], [0]])
model = tf.keras.Sequential()
model.add(tf.keras.layers.Dense(8, input_dim=3, activation='tanh'))  # fixed: model.add(tf.keras.layers.Dense(8, input_dim=2, activation='tanh'))
model.add(tf.keras.layers.Dense(1, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='sgd')
model.fit(xs, ys, epochs=1000)  # expect: DP613
