import keras
from keras import ops, layers


class Attn(layers.Layer):
    def __init__(self, heads, dim, **kwargs):
        super().__init__(**kwargs)
        self.heads, self.dim = heads, dim
        self.qkv = layers.Dense(3 * dim)
        self.out = layers.Dense(dim)

    def call(self, x, mask=None, training=False):
        b, n = ops.shape(x)[0], ops.shape(x)[1]
        qkv = ops.reshape(self.qkv(x), (b, n, 3, self.heads, self.dim // self.heads))
        q, k, v = ops.unstack(ops.transpose(qkv, (2, 0, 3, 1, 4)), 3)
        s = ops.softmax(ops.matmul(q, ops.transpose(k, (0, 1, 3, 2))) * 0.1)
        y = ops.reshape(ops.transpose(ops.matmul(s, v), (0, 2, 1, 3)), (b, n, self.dim))
        return self.out(y) + x * ops.cast(1, "float32")


i = keras.Input((None, 32))
o = Attn(4, 32)(i)
o = Attn(8, 32)(o, training=True)
m = keras.Model(i, ops.mean(o, axis=1))
m(ops.ones((2, 5, 32)))
a = ops.arange(4) * 0.5 + ops.ones((3, 4))
b = ops.where(a > 1, a, 0)
