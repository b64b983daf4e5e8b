import tensorflow as tf


@tf.function
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)  # hint: DP210


class Tree:
    @tf.function
    def depth(self, node):
        return 1 + self.depth(node - 1)  # hint: DP210

    def walk(self, node):
        return self.walk(node - 1)


def plain(n):
    return n * plain(n - 1) if n > 1 else 1


@tf.function
def calls_plain(n):
    return plain(3) * n


@tf.function
def loops(n):
    result = tf.constant(1)
    while n > 1:
        result *= n
        n -= 1
    return result
