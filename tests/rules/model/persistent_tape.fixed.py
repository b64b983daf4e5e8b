import tensorflow as tf


def once(model, x, y):
    with tf.GradientTape() as tape:  # expect: DP247
        loss = tf.reduce_mean((model(x) - y) ** 2)
    return tape.gradient(loss, model.trainable_variables)


def deleted(model, x, y):
    with tf.GradientTape(watch_accessed_variables=True) as tape:  # expect: DP247
        loss = tf.reduce_mean((model(x) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    del tape
    return gradients


def inside(generator, critic, x):
    with tf.GradientTape(persistent=True) as tape:
        fake = generator(x)
        first = tape.gradient(critic(fake), generator.trainable_variables)  # expect: DP247
        second = tape.gradient(-critic(fake), critic.trainable_variables)
    return first, second


def twice(generator, critic, x):
    with tf.GradientTape(persistent=True) as tape:
        fake = generator(x)
        loss = critic(fake)
    return tape.gradient(loss, generator.trainable_variables), tape.gradient(-loss, critic.trainable_variables)


def in_loop(models, x):
    with tf.GradientTape(persistent=True) as tape:
        losses = [model(x) for model in models]
    return [tape.gradient(loss, model.trainable_variables) for loss, model in zip(losses, models)]


def second_derivative(x):
    with tf.GradientTape(persistent=True) as tape:
        y = x ** 3
        first = tape.gradient(y, x)
    return tape.gradient(first, x)


def nested(x):
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = x ** 3
        first = inner.gradient(y, x)
    return outer.gradient(first, x)


def later(x):
    with tf.GradientTape(persistent=True) as tape:
        y = x ** 3

    def estimate(weight):
        return tape.gradient(y, x, output_gradients=weight)

    return estimate


def handed_on(x, use):
    with tf.GradientTape(persistent=True) as tape:
        y = x ** 3
    use(tape)
    return tape.gradient(y, x)


def plain(x):
    with tf.GradientTape() as tape:
        y = x ** 3
    return tape.gradient(y, x)
