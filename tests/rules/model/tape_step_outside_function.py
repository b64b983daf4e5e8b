import tensorflow as tf
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam()
loss_fn = keras.losses.MeanSquaredError()


def in_loop(dataset):
    for x, y in dataset:
        with tf.GradientTape() as tape:  # hint: DP212
            loss = loss_fn(y, model(x))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))


def eager_step(x, y):
    with tf.GradientTape() as tape:  # hint: DP212
        loss = loss_fn(y, model(x))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


@tf.function
def traced_step(x, y):
    return inner_step(x, y)


def inner_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


def wrapped_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


fast_step = tf.function(wrapped_step)


def train(dataset, strategy):
    for x, y in dataset:
        eager_step(x, y)
        traced_step(x, y)
        fast_step(x, y)
        strategy.run(distributed_step, args=(x, y))


def distributed_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    return tape.gradient(loss, model.trainable_variables)


def once(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    return tape.gradient(loss, model.trainable_variables)


def a_few_turns(x, y):
    for i in range(3):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x))
        tape.gradient(loss, model.trainable_variables)


class Net(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = loss_fn(y, self(x))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))


class Layer(keras.layers.Layer):
    def local_training(self, dataset):
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = loss_fn(y, self(x))
            tape.gradient(loss, self.trainable_variables)


def reinforcement(env, n):
    for episode in range(n):
        with tf.GradientTape() as tape:
            state, reward = env.step(model(episode))
            loss = loss_fn(reward, state)
        tape.gradient(loss, model.trainable_variables)
