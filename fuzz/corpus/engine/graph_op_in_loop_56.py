def through_calls_in_a_session(x, steps):
    with tf.Session() as sess:
        for i in range(steps):
            loss = calls_makes_loss(i)
            sess.run(loss)
