import tensorflow as tf

ROWS = 3000
COLUMNS = 20

values = tf.random.uniform((ROWS, COLUMNS), seed=1)
columns = tf.random.uniform((ROWS,), maxval=COLUMNS, dtype=tf.int32, seed=2)
picked = tf.gather(values, columns, axis=1, batch_dims=1)
result = float(tf.reduce_mean(picked))
