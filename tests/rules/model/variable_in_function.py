import tensorflow as tf


@tf.function
def fires(x):
    v = tf.Variable(1.0)  # expect: DP209
    return v * x


def later(x):
    w = tf.Variable(tf.zeros([3]))  # expect: DP209
    return w + x


later = tf.function(later)

outer = tf.Variable(1.0)


class Layer(tf.Module):
    def __init__(self):
        self.v = None
        self.w = tf.Variable(2.0)

    @tf.function
    def __call__(self, x):
        if self.v is None:
            self.v = tf.Variable(1.0)
        with tf.init_scope():
            start = tf.Variable(0.0)
        return self.v * x + self.w + start


@tf.function
def silent(x):
    return outer * x


def eager(x):
    v = tf.Variable(x)
    return v
