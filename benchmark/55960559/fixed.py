import numpy as np
import tensorflow as tf

ROWS = 1000
COLUMNS = 200

columns = list(range(0, COLUMNS, 2))
table = tf.placeholder(tf.float32, [None, COLUMNS])
selected = tf.gather(table, columns, axis=1)
with tf.Session() as sess:
    values = sess.run(selected, {table: np.random.rand(ROWS, COLUMNS)})

result = values.shape[1]
