import tensorflow as tf


class Silent(tf.keras.Model):
    def train_step(self, data):  # expect: DP957
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))

    def test_step(self, data):
        x, y = data
        loss = self.compute_loss(y=y, y_pred=self(x, training=False))
        return {"loss": loss}


class Telling(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


class Abstract(tf.keras.Model):
    def train_step(self, data):
        raise NotImplementedError


class Plain:
    def train_step(self, data):
        print(data)
        print(len(data))


def train(dataset):
    net = Silent()
    net.compile("adam", "mse")
    net.fit(dataset)
