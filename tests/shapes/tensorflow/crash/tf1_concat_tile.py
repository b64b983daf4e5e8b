# tensorflow: concat of [N, 100] and [N, 10] along dimension 0 is invalid: 100 is not 10
import tensorflow as tf

z = tf.placeholder(tf.float32, [None, 100])
y = tf.placeholder(tf.float32, [None, 10])


def generator(z, y, reuse=False):
    with tf.variable_scope('gen', reuse=reuse):
        h = tf.concat([z, y], 0)  # expect: DP602  # fixed: h = tf.concat([z, y], 1)
        w1 = tf.get_variable('w1', [110, 128], initializer=tf.random_normal_initializer(stddev=0.02))
        b1 = tf.get_variable('b1', [128])
        h = tf.nn.relu(tf.matmul(h, w1) + b1)
        w2 = tf.get_variable('w2', [128, 784])
        return tf.nn.sigmoid(tf.matmul(h, w2))


fake = generator(z, y)
