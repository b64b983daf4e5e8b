import tensorflow as tf
from tensorflow.keras import layers


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = layers.Dense(64, activation="relu")
        self.drop = layers.Dropout(0.5)
        self.out = layers.Dense(10)

    def call(self, x, training=None):
        return self.out(self.drop(self.hidden(x), training=training))

    def test_step(self, data):
        x, y = data
        self.compiled_metrics.update_state(y, self(x, training=True))  # expect: DP974
        return {m.name: m.result() for m in self.metrics}


class Evaluator:
    def __init__(self, model, data: tf.data.Dataset):
        self.model = model
        self.data = data
        self.accuracy = tf.keras.metrics.SparseCategoricalAccuracy()

    @tf.function
    def _batch(self, x, y):
        self.accuracy.update_state(y, self.model(x, training=True))  # expect: DP974

    @tf.function
    def _good(self, x, y):
        self.accuracy.update_state(y, self.model(x, training=False))

    def run(self):
        self.accuracy.reset_state()
        for x, y in self.data:
            self._batch(x, y)
        for x, y in self.data:
            self._good(x, y)
        return self.accuracy.result()


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = tf.keras.optimizers.Adam()
        self.accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
        self.loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def _forward(self, x, y):
        out = self.model(x, training=True)
        self.accuracy.update_state(y, out)
        return self.loss(y, out)

    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self._forward(x, y)
        weights = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))


def main(data: tf.data.Dataset):
    net = Net()
    trainer = Trainer(net)
    for x, y in data:
        trainer.step(x, y)
    return Evaluator(net, data).run()
