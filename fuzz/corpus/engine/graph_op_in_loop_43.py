def random_each_time(steps):
    return sum(tf.random.normal([3]) for _ in range(steps))
