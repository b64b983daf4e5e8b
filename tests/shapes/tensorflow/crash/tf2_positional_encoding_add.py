# tensorflow 2: InvalidArgumentError: Incompatible shapes: [64,40,128] vs. [1,60,128] [Op:AddV2]
import tensorflow as tf


class Embedding(tf.keras.layers.Layer):
    def __init__(self, vocab, d_model, max_len):
        super().__init__()
        self.emb = tf.keras.layers.Embedding(vocab, d_model)
        self.pos = tf.random.normal((1, max_len, d_model))

    def call(self, x):
        h = self.emb(x)
        return h + self.pos  # expect: DP602  # fixed: return h + self.pos[:, :x.shape[1], :]


x = tf.zeros((64, 40), dtype=tf.int32)
out = Embedding(8000, 128, 60)(x)
