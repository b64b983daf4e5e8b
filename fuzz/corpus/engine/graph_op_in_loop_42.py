def leaves_at_once(x, items):
    for item in items:
        tf.square(x)
        break
