import tensorflow as tf


def to_be_filled_in(model, start, steps):
    token = start
    for _ in range(steps):
        output = model.predict(token)
        token_index = # syntax error: to be filled in
        token = tf.expand_dims(tf.constant(token_index), axis=-1)
    return token


def complete(x, steps):
    out = []
    for i in range(steps):
        out.append(i * tf.matmul(x, x))  # expect: DP201
    return out
