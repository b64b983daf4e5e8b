# ValueError: Dimensions must be equal, but are 256 and 128 for 'MatMul_1'
import tensorflow as tf

n_input, n_hidden_1, n_hidden_2, n_classes = 784, 256, 128, 10
weights = {
    'h1': tf.Variable(tf.random_normal([n_input, n_hidden_1])),
    'h2': tf.Variable(tf.random_normal([n_hidden_2, n_hidden_2])),  # fixed: 'h2': tf.Variable(tf.random_normal([n_hidden_1, n_hidden_2])),
    'out': tf.Variable(tf.random_normal([n_hidden_2, n_classes]))
}
biases = {
    'b1': tf.Variable(tf.random_normal([n_hidden_1])),
    'b2': tf.Variable(tf.random_normal([n_hidden_2])),
    'out': tf.Variable(tf.random_normal([n_classes]))
}

def multilayer_perceptron(x):
    layer_1 = tf.nn.relu(tf.add(tf.matmul(x, weights['h1']), biases['b1']))
    layer_2 = tf.nn.relu(tf.add(tf.matmul(layer_1, weights['h2']), biases['b2']))  # expect: DP602
    return tf.matmul(layer_2, weights['out']) + biases['out']

X = tf.placeholder("float", [None, n_input])
logits = multilayer_perceptron(X)
