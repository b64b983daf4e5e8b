# TypeError: build_model() got an unexpected number of inputs: call() missing 1 required positional argument: 'mask_input'
import tensorflow as tf

class Attend(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.d = tf.keras.layers.Dense(4)

    def call(self, q, k):
        return tf.matmul(self.d(q), self.d(k), transpose_b=True)

att = Attend()
q = tf.zeros((2, 5, 4))
out = att(q)  # expect: DP610 # fixed: out = att(q, q)
