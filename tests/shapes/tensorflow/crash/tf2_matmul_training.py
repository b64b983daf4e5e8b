# tensorflow 2: InvalidArgumentError: Matrix size-incompatible: In[0]: [100,3], In[1]: [4,1] [Op:MatMul]
import numpy as np
import tensorflow as tf

X = np.random.randn(100, 3).astype(np.float32)
y = np.random.randn(100, 1).astype(np.float32)
w = tf.Variable(tf.random.normal([4, 1]))  # or here  # fixed: w = tf.Variable(tf.random.normal([3, 1]))
b = tf.Variable(tf.zeros([1]))


def model(x):
    return tf.matmul(x, w) + b  # expect: DP602


for step in range(100):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(X) - y))
    dw, db = tape.gradient(loss, [w, b])
    w.assign_sub(0.1 * dw)
    b.assign_sub(0.1 * db)
