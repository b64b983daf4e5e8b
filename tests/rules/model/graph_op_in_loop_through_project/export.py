import compat as tf


def export(path):
    graph = tf.Graph()
    with graph.as_default():
        tf.Variable(0.0)
        tf.variables_initializer(tf.global_variables())
    with tf.Session(graph=graph) as sess:
        sess.run("init")


def export_all(paths):
    for path in paths:
        export(path)  # a graph of its own each time


def again_and_again(x, steps):
    out = []
    for i in range(steps):
        out.append(i * tf.linalg.inv(x))  # expect: DP201
    arrays = [tf.TensorArray(tf.float32, 3) for _ in range(steps)]
    return out, arrays
