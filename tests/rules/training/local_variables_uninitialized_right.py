import tensorflow as tf

labels = tf.placeholder(tf.int64, [None])
predictions = tf.placeholder(tf.int64, [None])
accuracy, update = tf.metrics.accuracy(labels, predictions)
initialize = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
with tf.Session() as session:
    session.run(initialize)
    session.run(update, {labels: [1, 0], predictions: [1, 1]})
