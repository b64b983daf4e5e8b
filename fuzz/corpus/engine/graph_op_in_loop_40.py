def tiny(x):
    for _ in range(3):
        tf.square(x)
    for name in ("a", "b"):
        tf.square(x)
    for i, name in enumerate(["a", "b"]):
        tf.square(x)
    return [tf.square(x) for _ in range(2)]
