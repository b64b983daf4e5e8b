import tensorflow as tf

iterator = tf.data.Dataset.range(100).batch(3).prefetch(1).make_initializable_iterator()  # expect: DP961
following = iterator.get_next()
with tf.Session() as session:
    for _ in range(10):
        print(session.run(following))
