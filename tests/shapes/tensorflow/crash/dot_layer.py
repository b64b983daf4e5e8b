# tensorflow: Dot of [N, 32] and [N, 64] is invalid: 32 is not 64
import tensorflow as tf
from tensorflow.keras import layers, Model

n_users, n_items = 600, 9000
user = layers.Input(shape=(1,))
item = layers.Input(shape=(1,))
u = layers.Flatten()(layers.Embedding(n_users, 32)(user))  # fixed: u = layers.Flatten()(layers.Embedding(n_users, 64)(user))
i = layers.Flatten()(layers.Embedding(n_items, 64)(item))
prod = layers.Dot(axes=1)([u, i])  # expect: DP602
model = Model([user, item], prod)
model.compile('adam', 'mse')
