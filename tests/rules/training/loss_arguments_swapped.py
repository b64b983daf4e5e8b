import tensorflow as tf

cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
squared = tf.keras.losses.MeanSquaredError()
accuracy = tf.keras.metrics.BinaryAccuracy()


def swapped(model, x, y):
    logits = model(x, training=True)
    return cross_entropy(logits, y)  # expect: DP951


class Trainer:
    def __init__(self):
        self.model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        self.loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    def loss_of(self, x, y):
        return self.loss(self.model(x, training=True), y)  # expect: DP951

    def evaluate(self, data):
        for x, y in data:
            accuracy.update_state(self.model(x, training=False), y)  # expect: DP951
        return accuracy.result()

    def right(self, x, y):
        predicted = self.model(x, training=True)
        accuracy.update_state(y, predicted)
        return self.loss(y, predicted) + squared(predicted, y)

    def consistency(self, x):
        first = self.model(x, training=True)
        second = self.model(x + 1.0, training=True)
        return self.loss(tf.sigmoid(first), second) + self.loss(tf.ones_like(first), first)
