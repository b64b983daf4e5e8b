# tensorflow: the model takes [N, 10], but gets [10]
import numpy as np
import tensorflow as tf

x = np.random.rand(500, 10).astype('float32')
y = np.random.randint(0, 2, (500, 1))
ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(500)  # fixed: ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(500).batch(32)
model = tf.keras.Sequential([
    tf.keras.layers.Dense(16, activation='relu', input_shape=(10,)),
    tf.keras.layers.Dense(1, activation='sigmoid'),
])
model.compile(optimizer='adam', loss='binary_crossentropy')
model.fit(ds, epochs=2)  # expect: DP613
