import tensorflow as tf

VECTORS = 100
DIMENSION = 32

vectors = tf.random.uniform((VECTORS, DIMENSION), seed=1)


def distances(vectors):
    squares = tf.reduce_sum(tf.square(vectors), axis=1)
    products = tf.matmul(vectors, vectors, transpose_b=True)
    return tf.sqrt(tf.maximum(squares[:, None] - 2.0 * products + squares[None, :], 0.0))


matrix = distances(vectors)
result = float(tf.reduce_max(matrix))
