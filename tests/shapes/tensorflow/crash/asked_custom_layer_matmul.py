# InvalidArgumentError: Matrix size-incompatible: In[0]: [32,100], In[1]: [64,10]
import tensorflow as tf
from tensorflow.keras import layers

class MyDense(layers.Layer):
    def __init__(self, units, input_dim, **kwargs):
        super().__init__(**kwargs)
        self.w = self.add_weight(shape=(input_dim, units), initializer='random_normal', trainable=True)
        self.b = self.add_weight(shape=(units,), initializer='zeros', trainable=True)

    def call(self, x):
        return tf.matmul(x, self.w) + self.b  # expect: DP602

layer = MyDense(10, 64)  # fixed: layer = MyDense(10, 100)
y = layer(tf.ones((32, 100)))
