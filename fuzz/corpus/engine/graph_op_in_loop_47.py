def mapped(ds: tf.data.Dataset, table, n):
    def look(x):
        for _ in range(n):
            x += tf.reduce_sum(table)
        return x

    return ds.map(look, num_parallel_calls=8)
