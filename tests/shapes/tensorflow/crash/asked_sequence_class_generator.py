# ValueError: Input 0 of layer sequential is incompatible: expected shape=(None, 32, 32, 3), found shape=(16, 3, 32, 32)
import numpy as np
import tensorflow as tf

class Batches(tf.keras.utils.Sequence):
    def __init__(self, n, batch):
        self.n = n
        self.batch = batch

    def __len__(self):
        return self.n // self.batch

    def __getitem__(self, idx):
        x = np.zeros((self.batch, 3, 32, 32), dtype='float32')  # fixed: x = np.zeros((self.batch, 32, 32, 3), dtype='float32')
        y = np.zeros((self.batch, 10), dtype='float32')
        return x, y

model = tf.keras.models.Sequential([
    tf.keras.layers.Conv2D(8, 3, input_shape=(32, 32, 3)),
    tf.keras.layers.GlobalMaxPooling2D(),
    tf.keras.layers.Dense(10, activation='softmax')])
model.compile('sgd', 'categorical_crossentropy')
model.fit(Batches(1600, 16), epochs=2)  # expect: DP613
