import numpy as np
import tensorflow as tf


def adversarial(model, image, label, loss_fn):
    image = tf.cast(image, tf.float32)
    with tf.GradientTape() as tape:
        loss = loss_fn(label, model(image))
    return tf.sign(tape.gradient(loss, image))  # expect: DP858


def penalty(critic, real, fake):
    alpha = tf.random.uniform([tf.shape(real)[0], 1])
    mixed = real + alpha * (fake - real)
    with tf.GradientTape() as tape:
        scores = critic(mixed, training=True)
    return tape.gradient(scores, [mixed])[0]  # expect: DP858


def residual(model):
    x = tf.linspace(0.0, 1.0, 100)[:, None]
    with tf.GradientTape() as tape:
        u = model(x)
    return tape.jacobian(u, x)  # expect: DP858


@tf.function
def input_gradient(batch, index):
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(network(batch)[:, index])
    return tape.gradient(total, batch)  # expect: DP858


def smooth(image, index):
    return input_gradient(image[None] + tf.random.normal([32, 8]), index)


network = tf.keras.models.load_model("model.keras")
heat = smooth(tf.io.decode_png(tf.io.read_file("a.png")), 3)

constant = tf.constant([1.0, 2.0])
with tf.GradientTape() as top:
    squared = constant * constant
print(top.gradient(squared, constant))  # expect: DP858


def watched(model, image):
    image = tf.cast(image, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(image)
        score = model(image)
    return tape.gradient(score, image)


def watched_in_list(model, a):
    a = tf.cast(a, tf.float32)
    b = tf.square(a)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        score = model(a + b)
    return tape.gradient(score, [a, b])


def variable(model, image):
    canvas = tf.Variable(image)
    with tf.GradientTape() as tape:
        score = model(canvas)
    return tape.gradient(score, canvas)


def attention_map(model, image):
    with tf.GradientTape() as tape:
        maps, scores = model(image)
        best = tf.reduce_max(scores)
    return tape.gradient(best, maps)


def weights(model, image):
    with tf.GradientTape() as tape:
        score = tf.reduce_sum(model(image))
    return tape.gradient(score, model.trainable_variables)


def style_step(extractor, image):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(extractor(image))
    return tape.gradient(loss, image)


style_step(network, tf.Variable(tf.zeros([1, 8])))


def unused(model, image):
    image = tf.cast(image, tf.float32)
    with tf.GradientTape() as tape:
        score = model.loss()
    return tape.gradient(score, image)


def outside(model, optimizer, loss_fn, x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=True)
    loss = loss_fn(y, logits)
    return tape.gradient(loss, model.trainable_variables)  # expect: DP858


def scaled_outside(model, optimizer, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x, training=True))
    scaled = optimizer.get_scaled_loss(loss)
    return tape.gradient(scaled, model.trainable_variables)  # expect: DP858


def with_numpy(model, x, y):
    with tf.GradientTape() as tape:
        predicted = model(x, training=True)
        loss = np.mean(predicted - y)
    return tape.gradient(loss, model.trainable_variables)  # expect: DP858


def twice(generator, critic, z):
    with tf.GradientTape() as tape:
        fake = generator(z, training=True)
        first = tf.reduce_mean(critic(fake, training=True))
        second = -first
    a = tape.gradient(first, critic.trainable_variables)
    b = tape.gradient(second, generator.trainable_variables)  # expect: DP858
    return a, b


def in_loop(model, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x))
    return [tape.gradient(loss, v) for v in model.trainable_variables]  # expect: DP858


def persistent(generator, critic, z):
    with tf.GradientTape(persistent=True) as tape:
        fake = generator(z, training=True)
        first = tf.reduce_mean(critic(fake, training=True))
        second = -first
    a = tape.gradient(first, critic.trainable_variables)
    b = tape.gradient(second, generator.trainable_variables)
    return a, b


def either(model, x, flag):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x))
    if flag:
        return tape.gradient(loss, model.trainable_variables)
    else:
        grads = tape.gradient(loss, model.trainable_weights)
    return grads


def two_tapes(generator, critic, z):
    with tf.GradientTape() as tape:
        first = tf.reduce_mean(critic(generator(z)))
    a = tape.gradient(first, critic.trainable_variables)
    with tf.GradientTape() as tape:
        second = tf.reduce_mean(critic(generator(z)))
    b = tape.gradient(second, generator.trainable_variables)
    return a, b


def metric_outside(model, loss_fn, x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=True)
        loss = loss_fn(y, logits)
    error = tf.reduce_mean(logits)
    return tape.gradient(loss, model.trainable_variables), error
