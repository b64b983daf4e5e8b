def nothing_varies(x, temperature, steps):
    outputs = []
    for i in range(steps):
        outputs.append(x[:, i] / tf.cast(temperature, tf.float32))
    while len(outputs) < steps:
        outputs.append(tf.eye(steps))
    return [tf.math.sqrt(x) * i for i in range(steps)]
