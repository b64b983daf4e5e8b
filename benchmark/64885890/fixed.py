import numpy as np
import tensorflow as tf

ROWS = 20000
LENGTH = 100
PICKED = 5

indexes = np.random.default_rng(0).integers(0, LENGTH, (ROWS, PICKED))


def to_mask(indexes):
    mask = np.zeros((indexes.shape[0], LENGTH), dtype=np.float32)
    np.put_along_axis(mask, indexes, 1, axis=1)
    return mask


mask = tf.constant(to_mask(indexes))
result = float(tf.reduce_sum(mask))
