# tensorflow: * takes tensors of one dtype, but gets int32 and float32: TensorFlow does not promote
import tensorflow as tf

a = tf.constant([1, 2, 3])
w = tf.Variable(tf.random.normal([3]))


@tf.function
def score(x):
    return tf.reduce_sum(x * w)  # expect: DP607


def main():
    total = 0.0
    for step in range(10):
        with tf.GradientTape() as tape:
            s = score(a)  # fixed: s = score(tf.cast(a, tf.float32))
            loss = tf.square(s - 1.0)
        g = tape.gradient(loss, [w])
        w.assign_sub(0.1 * g[0])


main()
