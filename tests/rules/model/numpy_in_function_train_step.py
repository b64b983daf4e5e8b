import tensorflow as tf


class Distiller(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        self.history.append(loss.numpy())  # expect: DP211
        return {"loss": loss}


def train(dataset):
    model = Distiller()
    model.compile("adam")
    model.fit(dataset)
