# ValueError: Dimensions must be equal, but are 10 and 20
import tensorflow as tf

class Linear(tf.keras.layers.Layer):
    def __init__(self, units=32):
        super(Linear, self).__init__()
        self.units = units

    def build(self, input_shape):
        self.w = self.add_weight(shape=(self.units, input_shape[-1]), initializer='random_normal')  # fixed: self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer='random_normal')
        self.b = self.add_weight(shape=(self.units,), initializer='zeros')

    def call(self, inputs):
        return tf.matmul(inputs, self.w) + self.b  # expect: DP602

layer = Linear(20)
print(layer(tf.ones((2, 10))))
