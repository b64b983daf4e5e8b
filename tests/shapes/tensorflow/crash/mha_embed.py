# tensorflow: + of [N, 200, 32] and [N, 200, 64] is invalid: 32 is not 64
import tensorflow as tf
from tensorflow.keras import layers


class TransformerBlock(layers.Layer):
    def __init__(self, embed_dim, num_heads, ff_dim):
        super().__init__()
        self.att = layers.MultiHeadAttention(num_heads=num_heads, key_dim=embed_dim)
        self.ffn = tf.keras.Sequential([layers.Dense(ff_dim, activation="relu"), layers.Dense(ff_dim)])  # fixed: self.ffn = tf.keras.Sequential([layers.Dense(ff_dim, activation="relu"), layers.Dense(embed_dim)])
        self.norm1 = layers.LayerNormalization()
        self.norm2 = layers.LayerNormalization()

    def call(self, inputs):
        a = self.att(inputs, inputs)
        out1 = self.norm1(inputs + a)
        return self.norm2(out1 + self.ffn(out1))  # expect: DP602


inputs = layers.Input(shape=(200,))
x = layers.Embedding(20000, 32)(inputs)
x = TransformerBlock(32, 2, 64)(x)
x = layers.GlobalAveragePooling1D()(x)
outputs = layers.Dense(2, activation="softmax")(x)
model = tf.keras.Model(inputs, outputs)
