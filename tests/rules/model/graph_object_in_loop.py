import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(1)])
loss_fn = keras.losses.MeanSquaredError()


def fires(dataset, sess, op):
    for x, y in dataset:
        optimizer = keras.optimizers.Adam(1e-3)  # hint: DP203
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    for step in range(1000):
        adam = tf1.train.AdamOptimizer(1e-3)  # hint: DP203
        sess.run(adam.minimize(op))  # expect: DP201
    for step in range(1000):
        writer = tf1.summary.FileWriter("logs")  # hint: DP203
        writer.add_summary(sess.run(op))


def one_step(x, y):
    optimizer = keras.optimizers.SGD(0.1)  # hint: DP203
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


def caller(dataset):
    for x, y in dataset:
        one_step(x, y)


def silent(dataset, configs, sess, op):
    optimizer = keras.optimizers.Adam(1e-3)
    saver = tf1.train.Saver()
    for x, y in dataset:
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    for config in configs:
        fresh = keras.optimizers.Adam(config)
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = loss_fn(y, model(x))
            fresh.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    for step in range(1000):
        sess.run(op)
        if step == 0:
            saver = tf1.train.Saver()
    for config in configs:
        model.compile(keras.optimizers.Adam(config), "mse")
        model.fit(dataset)
    return saver
