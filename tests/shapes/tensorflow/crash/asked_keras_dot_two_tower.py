# ValueError: Dimension incompatibility: Dot layer got inputs with shapes (None, 64) and (None, 32)
import tensorflow as tf
L = tf.keras.layers

def tower(name, n, dim):
    inp = L.Input((1,), name=name)
    x = L.Embedding(n, dim)(inp)
    return inp, L.Flatten()(x)

u, ue = tower('user', 100, 64)
i, ie = tower('item', 200, 32)  # fixed: i, ie = tower('item', 200, 64)
score = L.Dot(axes=1)([ue, ie])  # expect: DP602
model = tf.keras.Model([u, i], score)
