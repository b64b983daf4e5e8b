import tensorflow as tf

ROWS = 5000
COLUMNS = 100
K = 5

scores = tf.random.uniform((ROWS, COLUMNS), seed=1)


@tf.function
def best(scores):
    return tf.math.top_k(scores, k=K).values


result = float(tf.reduce_mean(best(scores)))
