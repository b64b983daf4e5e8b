import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
GLOBAL_BATCH = 64 * strategy.num_replicas_in_sync

with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.Adam()
    mean_loss = tf.keras.losses.MeanSquaredError()
    no_reduction = tf.keras.losses.MeanSquaredError(reduction="none")


def direct(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y))  # expect: DP861
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss


def by_object(x, y):
    with tf.GradientTape() as tape:
        loss = mean_loss(y, model(x, training=True))  # expect: DP861
        loss += 0.01 * tf.add_n(model.losses)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))


def criterion(y, predicted, weight):
    errors = tf.abs(y - predicted)
    return weight * tf.reduce_mean(errors)  # expect: DP861


def by_helper(x, y):
    with tf.GradientTape() as tape:
        loss = criterion(y, model(x, training=True), 2.0)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))


def by_global_batch(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(no_reduction(y, model(x, training=True))) / GLOBAL_BATCH
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))


def by_average(x, y):
    with tf.GradientTape() as tape:
        errors = tf.reduce_mean(tf.square(model(x, training=True) - y), axis=-1)
        loss = tf.nn.compute_average_loss(errors, global_batch_size=GLOBAL_BATCH)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))


def by_replicas(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        scaled = loss / strategy.num_replicas_in_sync
    grads = tape.gradient(scaled, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))


def by_hand(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
    grads = tape.gradient(loss, model.trainable_variables)
    grads = tf.distribute.get_replica_context().all_reduce("mean", grads)
    optimizer.apply_gradients(zip(grads, model.trainable_variables), experimental_aggregate_gradients=False)


def evaluate(x, y):
    return tf.reduce_mean(tf.square(model(x) - y))


@tf.function
def steps(x, y):
    strategy.run(direct, args=(x, y))
    strategy.run(by_object, args=(x, y))
    strategy.run(by_helper, args=(x, y))
    strategy.run(by_global_batch, args=(x, y))
    strategy.run(by_average, args=(x, y))
    strategy.run(by_replicas, args=(x, y))
    strategy.run(by_hand, args=(x, y))
    return strategy.run(evaluate, args=(x, y))


def alone(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))


@tf.function
def on_one_device(x, y):
    return tf.distribute.OneDeviceStrategy("/gpu:0").run(alone, args=(x, y))
