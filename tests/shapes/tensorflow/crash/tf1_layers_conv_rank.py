# tensorflow 1: ValueError: Input 0 of layer conv2d_1 is incompatible with the layer: expected ndim=4, found ndim=2. Full shape received: [None, 784]
import tensorflow as tf

features = tf.placeholder(tf.float32, [None, 784])
#+ features = tf.reshape(features, [-1, 28, 28, 1])
conv1 = tf.layers.conv2d(inputs=features, filters=32, kernel_size=[5, 5], padding="same", activation=tf.nn.relu)  # expect: DP604
pool1 = tf.layers.max_pooling2d(inputs=conv1, pool_size=[2, 2], strides=2)
flat = tf.layers.flatten(pool1)
logits = tf.layers.dense(inputs=flat, units=10)
