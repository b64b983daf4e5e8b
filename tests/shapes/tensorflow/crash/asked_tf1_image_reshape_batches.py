# ValueError: Cannot reshape a tensor with 3072 elements to shape [1,28,28,1] (784 elements)
import tensorflow as tf

def cnn_model(features):
    input_layer = tf.reshape(features, [-1, 28, 28, 1])  # expect: DP603 # fixed: input_layer = tf.reshape(features, [-1, 32, 32, 3])
    conv1 = tf.layers.conv2d(inputs=input_layer, filters=32, kernel_size=[5, 5], padding='same', activation=tf.nn.relu)
    pool1 = tf.layers.max_pooling2d(inputs=conv1, pool_size=[2, 2], strides=2)
    return tf.layers.dense(tf.layers.flatten(pool1), 10)

x = tf.placeholder(tf.float32, [1, 3072])
logits = cnn_model(x)
