import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K


class DropPath(keras.layers.Layer):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def call(self, x):
        keep = 1.0 - self.rate
        drawn = keep + tf.random.uniform([tf.shape(x)[0], 1, 1])  # expect: DP859
        return x * tf.floor(drawn) / keep


class WordDropout(keras.layers.Layer):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def call(self, tokens):
        drop = tf.random.uniform(tf.shape(tokens)) < self.p  # expect: DP859
        return tf.where(drop, 0, tokens)


class Classifier(keras.Model):
    def __init__(self):
        super().__init__()
        self.a = keras.layers.Dense(64, activation="relu")
        self.b = keras.layers.Dense(10)

    def call(self, x):
        x = tf.nn.dropout(self.a(x), rate=0.5)  # expect: DP859
        return self.b(x)


class Binomial(keras.layers.Layer):
    def __init__(self, keep):
        super().__init__()
        self.keep = keep

    def call(self, x):
        return x * K.random_binomial(K.shape(x), p=self.keep)  # expect: DP859


class Backend(keras.layers.Layer):
    def call(self, x):
        return K.dropout(x, 0.3)  # expect: DP859


class Keras3(keras.layers.Layer):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def call(self, x):
        mask = keras.random.uniform(keras.ops.shape(x)) > self.rate  # expect: DP859
        return keras.ops.where(mask, x, 0.0)


class Guarded(keras.layers.Layer):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def call(self, x, training=None):
        if training:
            return tf.nn.dropout(x, self.rate)
        return x


class Phase(keras.layers.Layer):
    def call(self, x):
        return K.in_train_phase(tf.nn.dropout(x, 0.5), x)


class Sampling(keras.layers.Layer):
    def call(self, inputs):
        mean, log_var = inputs
        return mean + tf.exp(0.5 * log_var) * tf.random.normal(tf.shape(mean))


class Gumbel(keras.layers.Layer):
    def call(self, logits):
        u = tf.random.uniform(tf.shape(logits))
        return tf.nn.softmax(logits - tf.math.log(-tf.math.log(u)))


class Stochastic(keras.layers.Layer):
    def call(self, p):
        return tf.cast(tf.random.uniform(tf.shape(p)) < p, tf.float32)


class Keywords(keras.layers.Layer):
    def call(self, x, **kwargs):
        return tf.nn.dropout(x, 0.5)


class Choice(keras.layers.Layer):
    @tf.function
    def call(self, x):
        if tf.random.uniform(()) > 0.5:
            return x * 2
        return x / 2


class Switched(keras.layers.Layer):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def call(self, inputs):
        rate = self.rate * tf.squeeze(inputs[1])
        return tf.nn.dropout(inputs[0], rate=rate)


class Unswitched(keras.layers.Layer):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def call(self, inputs):
        rate = self.rate
        return tf.nn.dropout(inputs[0], rate=rate)  # expect: DP859
