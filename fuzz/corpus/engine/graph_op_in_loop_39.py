def layers(x, sizes):
    for size in sizes:
        x = tf.nn.relu(tf.matmul(x, tf.ones([size, size])))
    weights = []
    for _ in range(len(sizes)):
        weights.append(tf.Variable(tf.zeros([10, 10])))
    h = x
    for _ in range(12):
        h = tf.nn.relu(h)
    return x, weights, h
