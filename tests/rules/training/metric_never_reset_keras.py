import tensorflow as tf


def train(model, dataset, validation, epochs):
    optimizer = tf.keras.optimizers.Adam()
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
    validated = tf.keras.metrics.SparseCategoricalAccuracy()
    running = tf.keras.metrics.Mean()

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            predicted = model(x, training=True)
            loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(y, predicted))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        accuracy.update_state(y, predicted)
        running.update_state(loss)

    for epoch in range(epochs):
        running.reset_state()
        for x, y in dataset:
            step(x, y)
        for x, y in validation:
            validated.update_state(y, model(x, training=False))
        print(epoch, accuracy.result(), validated.result())  # expect: DP836
        print(running.result())


def one_epoch(model, dataset):
    mean = tf.keras.metrics.Mean()
    for x, y in dataset:
        mean.update_state(tf.reduce_mean(model(x) - y))
    print(mean.result())
    for epoch in range(10):
        inner = tf.keras.metrics.Mean()
        for x, y in dataset:
            inner.update_state(tf.reduce_mean(model(x) - y))
        print(inner.result())


def in_a_loop(model, dataset, epochs):
    metrics = {"loss": tf.keras.metrics.Mean()}
    loss = metrics["loss"]
    for epoch in range(epochs):
        for x, y in dataset:
            loss.update_state(tf.reduce_mean(model(x) - y))
        print(loss.result())
        for metric in metrics.values():
            metric.reset_state()
