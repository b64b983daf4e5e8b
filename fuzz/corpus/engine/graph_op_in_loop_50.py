def session_parameter(sess, optimizer: tf.train.Optimizer, loss):
    while True:
        train = optimizer.minimize(loss)
        sess.run(train)
