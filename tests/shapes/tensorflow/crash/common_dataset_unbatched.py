# tensorflow: the model takes [N, 28, 28, 3], but gets [N, 28, 28, 1]
import tensorflow as tf
from tensorflow.keras import Sequential, layers
ds = tf.data.Dataset.from_tensor_slices((tf.zeros([50, 28, 28, 1]), tf.zeros([50], tf.int32))).batch(10)
m = Sequential([layers.Input((28, 28, 3)), layers.Flatten(), layers.Dense(10)])  # fixed: m = Sequential([layers.Input((28, 28, 1)), layers.Flatten(), layers.Dense(10)])
m.compile('sgd', tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
m.fit(ds)  # expect: DP613
