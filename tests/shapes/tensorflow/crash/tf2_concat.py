# tensorflow: concat of [8, 64] and [8, 1, 32] is invalid: they have 2 and 3 dimensions
import tensorflow as tf


class Attention(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.W1 = tf.keras.layers.Dense(units)
        self.W2 = tf.keras.layers.Dense(units)
        self.V = tf.keras.layers.Dense(1)

    def call(self, query, values):
        q = tf.expand_dims(query, 1)
        score = self.V(tf.nn.tanh(self.W1(values) + self.W2(q)))
        w = tf.nn.softmax(score, axis=1)
        return tf.reduce_sum(w * values, axis=1), w


class Decoder(tf.keras.Model):
    def __init__(self, vocab, dim, units):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(vocab, dim)
        self.gru = tf.keras.layers.GRU(units, return_sequences=True, return_state=True)
        self.fc = tf.keras.layers.Dense(vocab)
        self.attention = Attention(units)

    def call(self, x, hidden, enc):
        ctx, w = self.attention(hidden, enc)
        x = self.embedding(x)
        x = tf.concat([ctx, x], axis=-1)  # expect: DP604  # fixed: x = tf.concat([tf.expand_dims(ctx, 1), x], axis=-1)
        out, state = self.gru(x)
        out = tf.reshape(out, (-1, out.shape[2]))
        return self.fc(out), state, w


dec = Decoder(500, 32, 64)
y, s, w = dec(tf.random.uniform((8, 1), 0, 500, tf.int32), tf.random.normal((8, 64)), tf.random.normal((8, 16, 64)))
