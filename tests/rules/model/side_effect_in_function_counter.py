import tensorflow as tf


class Annealed:
    def __init__(self, model, optimizer, warmup):
        self.model = model
        self.optimizer = optimizer
        self.warmup = warmup
        self.step = 0

    def beta(self):
        return tf.minimum(1.0, tf.cast(self.step, tf.float32) / self.warmup)

    @tf.function
    def train_step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self.model(x, training=True)) * self.beta()
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))
        self.step += 1  # expect: DP208
        return loss


class Logged:
    def __init__(self, model):
        self.model = model
        self.count = 0

    @tf.function
    def predict(self, x):
        self.count += 1  # expect: DP208
        tf.summary.scalar("mean", tf.reduce_mean(x), step=self.count)
        return self.model(x, training=False)


class Decayed:
    def __init__(self, rate):
        self.rate = rate
        self.calls = 0

    def scale(self):
        return self.rate * 0.5**self.calls

    def __call__(self, x):
        return self.apply(x)

    @tf.function
    def apply(self, x):
        self.calls += 1  # expect: DP208
        return x * self.scale()


# ---- clean, or only a hint ----------------------------------------------------------------------------------------


class Counted:
    def __init__(self, model):
        self.model = model
        self.traces = 0

    @tf.function
    def predict(self, x):
        self.traces += 1  # hint: DP208
        return self.model(x, training=False)

    def report(self):
        return self.traces


class Shown:
    def __init__(self, model):
        self.model = model
        self.traces = 0

    @tf.function
    def predict(self, x):
        self.traces += 1  # hint: DP208
        print("traced", self.traces)
        return self.model(x, training=False)


class Variable:
    def __init__(self, model):
        self.model = model
        self.step = tf.Variable(0, trainable=False)

    @tf.function
    def predict(self, x):
        self.step.assign_add(1)
        return self.model(x, training=False) * tf.cast(self.step, tf.float32)


class Outside:
    def __init__(self, model):
        self.model = model
        self.step = 0

    @tf.function
    def predict(self, x, step):
        return self.model(x, training=False) * step

    def run(self, x):
        self.step += 1
        return self.predict(x, tf.constant(self.step, tf.float32))
