# tensorflow 2: InvalidArgumentError: Incompatible shapes: [2,50,128] vs. [1,40,128] [Op:AddV2]
import tensorflow as tf
from tensorflow.keras import layers


class TokenAndPosition(layers.Layer):
    def __init__(self, maxlen, vocab_size, embed_dim):
        super().__init__()
        self.token_emb = layers.Embedding(input_dim=vocab_size, output_dim=embed_dim)
        self.pos_emb = self.add_weight(shape=(1, maxlen, embed_dim), initializer="zeros")

    def call(self, x):
        return self.token_emb(x) + self.pos_emb  # expect: DP602


layer = TokenAndPosition(40, 1000, 128)  # fixed: layer = TokenAndPosition(50, 1000, 128)
ids = tf.ones((2, 50), dtype=tf.int32)
print(layer(ids).shape)
