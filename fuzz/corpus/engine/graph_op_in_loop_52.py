def new_graph_each_turn(configs):
    for config in configs:
        with tf.Graph().as_default():
            y = tf.square(config)
            with tf.Session() as sess:
                sess.run(y)
    for config in configs:
        tf.reset_default_graph()
        y = tf.square(config)
        with tf.Session() as sess:
            sess.run(y)
