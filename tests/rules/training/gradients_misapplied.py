import tensorflow as tf


def reversed_pairs(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(model.trainable_variables, gradients))  # expect: DP948


def alone(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(gradients)  # expect: DP948


def another_order(encoder, decoder, optimizer, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((decoder(encoder(x, training=True), training=True) - x) ** 2)
    gradients = tape.gradient(loss, encoder.trainable_variables + decoder.trainable_variables)
    variables = decoder.trainable_variables + encoder.trainable_variables
    optimizer.apply_gradients(zip(gradients, variables))  # expect: DP948


class Gan:
    def __init__(self, generator, critic):
        self.generator = generator
        self.critic = critic
        self.optimizer = tf.keras.optimizers.Adam()

    @tf.function
    def wrong(self, noise):
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(self.critic(self.generator(noise, training=True), training=True))
        gradients = tape.gradient(loss, self.generator.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.critic.trainable_variables))  # expect: DP948

    @tf.function
    def right(self, noise):
        generator = self.generator
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(self.critic(generator(noise, training=True), training=True))
        gradients = tape.gradient(loss, generator.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.generator.trainable_weights))


def paired(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    variables = model.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    gradients = [tf.clip_by_norm(g, 1.0) for g in gradients]
    pairs = zip(gradients, variables)
    optimizer.apply_gradients(pairs)


def by_optimizer(optimizer, loss):
    pairs = optimizer.compute_gradients(loss)
    return optimizer.apply_gradients(pairs)
