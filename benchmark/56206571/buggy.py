import numpy as np
import tensorflow as tf

ROWS = 300
COLUMNS = 400

values = np.random.default_rng(0).integers(0, 1000, (ROWS, COLUMNS)).astype(np.float32)


def smallest_nonzero(values):
    best = np.zeros(values.shape[0], dtype=np.int64)
    for i in range(values.shape[0]):
        smallest = np.inf
        for j in range(values.shape[1]):
            if values[i, j] != 0 and values[i, j] < smallest:
                smallest = values[i, j]
                best[i] = j
    return best


best = tf.constant(smallest_nonzero(values))
with tf.Session() as sess:
    total = sess.run(tf.reduce_sum(best))

result = int(total)
