import tensorflow as tf


class Scores:
    def __init__(self):
        self.loss = tf.keras.metrics.Mean()
        self.accuracy = tf.keras.metrics.SparseCategoricalAccuracy()

    def add(self, loss, y, out):
        self.loss.update_state(loss)
        self.accuracy.update_state(y, out)

    def summary(self):
        return {"loss": self.loss.result(), "accuracy": self.accuracy.result()}

    def clear(self):
        self.loss.reset_state()
        self.accuracy.reset_state()


loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def evaluate_batch(model, x, y, scores):
    out = model(x, training=False)
    scores.add(loss_fn(y, out), y, out)


def run(model, data, epochs):
    train, valid = Scores(), Scores()
    for epoch in range(epochs):
        for x, y in data:
            evaluate_batch(model, x, y, train)
        for x, y in data:
            evaluate_batch(model, x, y, valid)
        print(train.summary())  # expect: DP836
        print(valid.summary())
        valid.clear()


def run_all(model, data, epochs):
    groups = [Scores(), Scores()]
    for epoch in range(epochs):
        for x, y in data:
            evaluate_batch(model, x, y, groups[0])
        print(groups[0].summary())
        for group in groups:
            group.clear()


class Experiment:
    def __init__(self, model):
        self.model = model
        self.metrics = {"loss": tf.keras.metrics.Mean(), "auc": tf.keras.metrics.AUC()}

    def epoch(self, data):
        for x, y in data:
            out = self.model(x, training=False)
            self.metrics["loss"].update_state(loss_fn(y, out))
            self.metrics["auc"].update_state(y, out)
        return {name: float(m.result()) for name, m in self.metrics.items()}  # expect: DP836

    def run(self, data, epochs):
        for number in range(epochs):
            print(number, self.epoch(data))


def main(model, data):
    Experiment(model).run(data, 20)
