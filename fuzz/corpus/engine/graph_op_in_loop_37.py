def behind_an_inner_loop(x, rows):
    total = 0
    for row in rows:
        for value in row:
            total += value
        scale = tf.reduce_mean(x)
        total += scale * row
    return total
