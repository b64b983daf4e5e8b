def session_loop(x, losses, variable, steps):
    with tf.Session() as sess:
        for step in range(steps):
            sess.run(tf.reduce_mean(losses))
            sess.run(tf.assign(variable, step))
            sess.run(variable.assign(step))
            sess.run(tf.global_variables_initializer())
            saver = tf.train.Saver()
            saver.save(sess, "x")
            sess.run(tf.no_op())
            if step % 100 == 0:
                sess.run(tf.square(x))
