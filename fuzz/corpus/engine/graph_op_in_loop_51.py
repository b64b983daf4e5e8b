def session_used_well(x, steps):
    mean = tf.reduce_mean(x)
    with tf.Session() as sess:
        for step in range(steps):
            sess.run(mean)
        for _ in range(3):
            sess.run(tf.square(x))
