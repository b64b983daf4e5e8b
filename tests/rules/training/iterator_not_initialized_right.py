import tensorflow as tf

iterator = tf.data.Dataset.range(100).batch(3).prefetch(1).make_initializable_iterator()
x = tf.cast(iterator.get_next(), tf.float32)
weight = tf.Variable(1.0)
initialize = tf.global_variables_initializer()
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(x * weight))
with tf.Session() as session:
    session.run([initialize, iterator.initializer])
    for _ in range(10):
        print(session.run(train))
