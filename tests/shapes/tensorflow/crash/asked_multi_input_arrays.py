# ValueError: Layer model expects 2 input(s), but it received 1 input tensors
import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Input, Dense, Embedding, Flatten, Concatenate

users = Input(shape=(1,), name='user')
items = Input(shape=(1,), name='item')
u = Flatten()(Embedding(1000, 32)(users))
v = Flatten()(Embedding(500, 32)(items))
x = Concatenate()([u, v])
x = Dense(64, activation='relu')(x)
out = Dense(1)(x)
model = tf.keras.Model([users, items], out)
model.compile('adam', 'mse')

ratings = np.random.rand(5000)
pairs = np.random.randint(0, 500, (5000, 2))
model.fit(pairs, ratings, epochs=5, batch_size=128)  # expect: DP613 # fixed: model.fit([pairs[:, 0], pairs[:, 1]], ratings, epochs=5, batch_size=128)
