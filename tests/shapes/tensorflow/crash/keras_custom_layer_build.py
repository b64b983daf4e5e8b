# keras: InvalidArgumentError: Matrix size-incompatible: In[0]: [4,20], In[1]: [10,20]
import tensorflow as tf


class Linear(tf.keras.layers.Layer):
    def __init__(self, units=32):
        super(Linear, self).__init__()
        self.units = units

    def build(self, input_shape):
        self.w = self.add_weight(shape=(self.units, input_shape[-1]), initializer="random_normal", trainable=True)  # fixed: self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="random_normal", trainable=True)
        self.b = self.add_weight(shape=(self.units,), initializer="zeros", trainable=True)

    def call(self, inputs):
        return tf.matmul(inputs, self.w) + self.b  # expect: DP602


layer = Linear(10)
y = layer(tf.ones((4, 20)))
print(y)
