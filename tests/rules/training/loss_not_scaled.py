import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(10), tf.keras.layers.Activation("linear", dtype="float32")])
optimizer = tf.keras.optimizers.Adam()


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)  # expect: DP956
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


class Net(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)  # expect: DP956
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


@tf.function
def saliency(image):
    with tf.GradientTape() as tape:
        tape.watch(image)
        score = model(image, training=False)
    return tape.gradient(score, image)
