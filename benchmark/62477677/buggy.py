import tensorflow as tf

ROWS = 5000
COLUMNS = 100
K = 5

scores = tf.random.uniform((ROWS, COLUMNS), seed=1)


@tf.function
def best(scores):
    return tf.map_fn(lambda row: tf.math.top_k(row, k=K).values, scores)


result = float(tf.reduce_mean(best(scores)))
