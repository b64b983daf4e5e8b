# tensorflow 1: ValueError: Dimensions must be equal, but are 128 and 256 for 'MatMul_2' with input shapes: [?,128], [256,784].
import tensorflow as tf

num_input, num_hidden_1, num_hidden_2 = 784, 256, 128
X = tf.placeholder("float", [None, num_input])
weights = {
    'encoder_h1': tf.Variable(tf.random_normal([num_input, num_hidden_1])),
    'encoder_h2': tf.Variable(tf.random_normal([num_hidden_1, num_hidden_2])),
    'decoder_h1': tf.Variable(tf.random_normal([num_hidden_1, num_input])),  # or here  # fixed: 'decoder_h1': tf.Variable(tf.random_normal([num_hidden_2, num_input])),
}


def encoder(x):
    layer_1 = tf.nn.sigmoid(tf.matmul(x, weights['encoder_h1']))
    return tf.nn.sigmoid(tf.matmul(layer_1, weights['encoder_h2']))


def decoder(x):
    return tf.nn.sigmoid(tf.matmul(x, weights['decoder_h1']))  # expect: DP602


y_pred = decoder(encoder(X))
loss = tf.reduce_mean(tf.pow(X - y_pred, 2))
