import tensorflow as tf

WARMUP = 1000


class Annealed:
    def __init__(self, model: tf.keras.Model, period):
        self.model = model
        self.steps = 0
        self.scale = 4.0
        self.beta_var = tf.Variable(0.0)
        self.period = tf.constant(period)

    def beta(self):
        return min(1.0, self.steps / WARMUP) * self.scale

    @property
    def temperature(self):
        if self.steps > WARMUP:
            return 1.0
        return 1.0 - self.steps / WARMUP

    def fixed(self):
        return self.scale * 2.0

    def tensor(self):
        return tf.constant(self.steps / WARMUP)

    def cyclic(self):
        return self.steps / self.period

    @tf.function
    def step(self, x, weight):
        return weight * tf.reduce_sum(self.model(x))

    def fit(self, data: tf.data.Dataset):
        for x in data:
            self.step(x, self.beta())  # expect: DP207
            self.step(x, self.temperature)  # expect: DP207
            self.step(x, self.steps)  # expect: DP207
            weight = self.beta()
            self.step(x, weight)  # expect: DP207
            self.step(x, self.fixed())
            self.step(x, self.tensor())
            self.step(x, self.cyclic())
            self.step(x, self.beta_var)
            self.step(x, self.scale)
            self.steps += 1

    def epoch(self, data: tf.data.Dataset):
        for x in data:
            self.step(x, self.beta())
