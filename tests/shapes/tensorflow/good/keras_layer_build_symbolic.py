import tensorflow as tf


class Attention(tf.keras.layers.Layer):
    def __init__(self, heads=4):
        super().__init__()
        self.heads = heads

    def build(self, input_shape):
        self.dim = input_shape[-1]
        self.qkv = self.add_weight(name="qkv", shape=(self.dim, 3 * self.dim))
        super().build(input_shape)

    def call(self, x):
        b, n = tf.shape(x)[0], tf.shape(x)[1]
        q, k, v = tf.split(tf.matmul(tf.reshape(x, [-1, self.dim]), self.qkv), 3, axis=-1)
        shape = [b, n, self.heads, self.dim // self.heads]
        q, k, v = (tf.transpose(tf.reshape(t, shape), [0, 2, 1, 3]) for t in (q, k, v))
        scores = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / tf.sqrt(tf.cast(self.dim, tf.float32)))
        return tf.reshape(tf.transpose(tf.matmul(scores, v), [0, 2, 1, 3]), [b, n, self.dim])


print(Attention()(tf.zeros((2, 10, 64))).shape)
