"""What a session is given to fetch may be made on the spot, by things that are no functions of TensorFlow."""
import tensorflow as tf
import tensorflow_hub as hub
import tensorflow_probability as tfp


def negative(loss, feeds):
    a = tf.placeholder(tf.float32)
    loss = tf.reduce_mean(a)
    with tf.Session() as sess:
        for feed in feeds:
            sess.run(-loss, {a: feed})  # expect: DP201
            sess.run(loss, {a: -feed})


def hub_module(texts):
    embed = hub.Module("sentences")
    placeholder = tf.placeholder(tf.string)
    embedded = embed(placeholder)
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        for text in texts:
            sess.run(embed([text]))  # expect: DP201
            sess.run(embedded, {placeholder: text})


def keras_model(files):
    model = tf.keras.applications.VGG16()
    x = tf.placeholder(tf.float32, [None, 224, 224, 3])
    with tf.Session() as sess:
        for file in files:
            sess.run(model(x), {x: file})  # expect: DP201


def given_iterator(sess, iterator):
    while True:
        try:
            x = sess.run(iterator.get_next())  # expect: DP201
        except tf.errors.OutOfRangeError:
            break


def given_queue(sess, queue, op):
    while True:
        sess.run(op, {"x": queue.get_next(10)})


def distribution(buffer, steps):
    normal = tfp.distributions.Normal(0.0, 1.0)
    x = tf.placeholder(tf.float32)
    drawn = normal.sample(10)
    with tf.Session() as sess:
        for step in range(steps):
            sess.run(normal.sample(10))  # expect: DP201
            sess.run([normal.log_prob(x), drawn], {x: buffer.sample()})  # expect: DP201
            sess.run(drawn, {x: buffer.sample(32)})
