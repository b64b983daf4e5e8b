def tape(model, batches, x):
    for batch in batches:
        with tf.GradientTape() as t:
            loss = tf.reduce_mean(x)
        t.gradient(loss, model)
