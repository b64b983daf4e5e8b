# tensorflow 2: MatMul was expected to get an int32 tensor and gets float
import tensorflow as tf

ids = tf.constant([[1, 2, 3], [4, 5, 6]])
emb = tf.keras.layers.Embedding(10, 4)
h = emb(ids)
pos = tf.range(3)
w = tf.Variable(tf.random.normal([3, 4]))
out = tf.matmul(tf.expand_dims(pos, 0), w)  # expect: DP607  # fixed: out = tf.matmul(tf.expand_dims(tf.cast(pos, tf.float32), 0), w)
