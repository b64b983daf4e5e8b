import tensorflow as tf


@tf.function
def train(model, x, y):
    optimizer = tf.keras.optimizers.Adam(1e-3)  # expect: DP209
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


@tf.function
def forward(x):
    net = tf.keras.Sequential([tf.keras.layers.Dense(4)])  # expect: DP209
    return net(x)


class Net(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        accuracy = tf.keras.metrics.BinaryAccuracy()  # expect: DP209
        with tf.GradientTape() as tape:
            predicted = self(x, training=True)
            loss = self.compute_loss(y=y, y_pred=predicted)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        accuracy.update_state(y, predicted)
        return {"accuracy": accuracy.result()}


def build():
    optimizer = tf.keras.optimizers.Adam(1e-3)
    loss_fn = tf.keras.losses.MeanSquaredError()

    @tf.function
    def step(model, x, y):
        loss = tf.keras.losses.MeanSquaredError()
        return loss(y, model(x)) + loss_fn(y, model(x)), optimizer.learning_rate

    return step
