import tensorflow as tf


class Agent:
    def __init__(self):
        self.last = None
        self.updates = 0
        self.calls = 0

    @tf.function
    def act(self, x):
        h = tf.tanh(x)
        self.last = h  # expect: DP208
        return h

    def peek(self):
        return self.last.numpy()

    @tf.function
    def learn(self, x):
        self.updates += 1  # expect: DP208
        if self.updates % 100 == 0:
            self.synchronize()
        self.calls += 1  # hint: DP208
        return x * 2.0

    def synchronize(self):
        pass


@tf.function
def roll(x, n):
    outputs = []
    for i in tf.range(n):
        outputs.append(x[i])  # expect: DP208
    return tf.stack(outputs)


@tf.function
def unrolled(x):
    outputs = []
    for i in range(5):
        outputs.append(x[i])
    return tf.stack(outputs)


@tf.function
def staged(x, n):
    outputs = tf.TensorArray(tf.float32, size=n)
    for i in tf.range(n):
        outputs = outputs.write(i, x[i])
    return outputs.stack()
