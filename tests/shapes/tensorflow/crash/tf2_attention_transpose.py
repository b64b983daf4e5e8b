# tensorflow 2: InvalidArgumentError: In[0] mismatch In[1] shape: 16 vs. 10: [2,10,16] [2,10,16]
import tensorflow as tf


def attention(q, k, v):
    scores = tf.matmul(q, k)  # expect: DP602  # fixed: scores = tf.matmul(q, k, transpose_b=True)
    scores = scores / tf.math.sqrt(tf.cast(tf.shape(k)[-1], tf.float32))
    weights = tf.nn.softmax(scores, axis=-1)
    return tf.matmul(weights, v)


x = tf.random.normal((2, 10, 16))
out = attention(x, x, x)
