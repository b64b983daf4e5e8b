import tensorflow as tf

total = tf.keras.metrics.Mean()


def epoch(data):
    for x in data:
        total.update_state(tf.reduce_mean(x))
    return total.result()  # expect: DP836


class Engine:
    def __init__(self):
        self.loss = tf.keras.metrics.Mean()
        self.accuracy = tf.keras.metrics.BinaryAccuracy()

    @tf.function
    def step(self, x, y):
        self.loss.update_state(x)
        self.accuracy.update_state(y, x)

    def run_epoch(self, data):
        for x, y in data:
            self.step(x, y)
        return self.loss.result()  # expect: DP836

    def fit(self, data: tf.data.Dataset, epochs):
        for _ in range(epochs):
            print(self.run_epoch(data))


def train(data: tf.data.Dataset):
    for _ in range(20):
        print(epoch(data))


train(tf.data.Dataset.range(100).batch(3))
Engine().fit(tf.data.Dataset.from_tensor_slices((tf.zeros(9), tf.zeros(9))).batch(3), 20)
