import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

optimizer = tf.keras.optimizers.Adam()
sequential = keras.Sequential([layers.Dense(64), layers.Dropout(0.5), layers.Dense(1)])
plain = keras.Sequential([layers.Dense(64), layers.Dense(1)])


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((sequential(x) - y) ** 2)  # expect: DP853
    grads = tape.gradient(loss, sequential.trainable_variables)
    optimizer.apply_gradients(zip(grads, sequential.trainable_variables))
    return loss


def block(x, filters):
    x = layers.Conv2D(filters, 3, use_bias=False)(x)
    return layers.BatchNormalization()(x)


def build():
    inputs = keras.Input((32, 32, 3))
    return keras.Model(inputs, layers.Dense(10)(layers.Flatten()(block(inputs, 8))))


def train(batches):
    model = build()
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x))  # expect: DP853
        grads = tape.gradient(loss, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights))

    for x, y in batches:
        train_step(x, y)


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(10)
        self.dropout = layers.Dropout(0.5)

    def call(self, x, training=None):
        return self.dense(self.dropout(x, training=training))


net = Net()


@tf.function
def net_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x) - y) ** 2)  # expect: DP853
    grads = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(grads, net.trainable_variables))


class Holder:
    def __init__(self):
        self.model = keras.Sequential()
        self.model.add(layers.Dense(10, use_bias=False))
        self.model.add(layers.BatchNormalization())

    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.model(x) - y) ** 2)  # expect: DP853
        grads = tape.gradient(loss, self.model.trainable_variables)
        optimizer.apply_gradients(zip(grads, self.model.trainable_variables))


@tf.function
def told(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((sequential(x, training=True) - y) ** 2)
    grads = tape.gradient(loss, sequential.trainable_variables)
    optimizer.apply_gradients(zip(grads, sequential.trainable_variables))


@tf.function
def told_by_position(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((sequential(x, True) - y) ** 2)
    grads = tape.gradient(loss, sequential.trainable_variables)
    optimizer.apply_gradients(zip(grads, sequential.trainable_variables))


@tf.function
def without_modes(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((plain(x) - y) ** 2)
    grads = tape.gradient(loss, plain.trainable_variables)
    optimizer.apply_gradients(zip(grads, plain.trainable_variables))


class AlwaysOn(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(10)
        self.dropout = layers.Dropout(0.5)

    def call(self, x, is_training=True):
        return self.dense(self.dropout(x, training=is_training))


always = AlwaysOn()


@tf.function
def always_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((always(x) - y) ** 2)
    grads = tape.gradient(loss, always.trainable_variables)
    optimizer.apply_gradients(zip(grads, always.trainable_variables))


@tf.function
def only_helps(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((plain(x) - sequential(x)) ** 2)
    grads = tape.gradient(loss, plain.trainable_variables)
    optimizer.apply_gradients(zip(grads, plain.trainable_variables))


def evaluate(batches):
    return [sequential(x) for x in batches]


def optional_block(x, use_dropout=False):
    x = layers.Dense(8)(x)
    if use_dropout:
        x = layers.Dropout(0.5)(x)
    return layers.Dropout(0.0)(x)


def build_without():
    inputs = keras.Input((32,))
    return keras.Model(inputs, optional_block(inputs))


def train_without(batches):
    model = build_without()
    for x, y in batches:
        with tf.GradientTape() as tape:  # hint: DP212
            loss = tf.reduce_mean((model(x) - y) ** 2)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))


def loss_of(x, y):
    return tf.reduce_mean((net(x) - y) ** 2)  # expect: DP853


@tf.function
def step_with_helper(x, y):
    with tf.GradientTape() as tape:
        loss = loss_of(x, y)
    grads = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(grads, net.trainable_variables))
