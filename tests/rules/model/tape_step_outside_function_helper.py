import tensorflow as tf

# The model runs in a function that the step calls.
generator = tf.keras.Sequential([tf.keras.layers.Dense(8)])
weight = tf.Variable(1.0)


def loss_through_helper(images):
    return tf.reduce_mean(forward_of(images))


def forward_of(images):
    return generator(images)


def step_with_helper(images, optimizer):
    with tf.GradientTape() as tape:  # expect: DP212
        loss = loss_through_helper(images)
    grads = tape.gradient(loss, generator.trainable_variables)
    optimizer.apply_gradients(zip(grads, generator.trainable_variables))


def train_with_helper(dataset: tf.data.Dataset, optimizer):
    for images in dataset:
        step_with_helper(images, optimizer)


def simple_loss(x):
    return tf.reduce_mean((weight * x) ** 2)


def fit_line(batches: tf.data.Dataset, optimizer):
    for x in batches:
        with tf.GradientTape() as tape:  # hint: DP212
            loss = simple_loss(x)
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
