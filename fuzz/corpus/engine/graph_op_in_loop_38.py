def chain_of_invariants(buffers, length, rows):
    updates = []
    for buffer in buffers:
        timestep = tf.gather(length, rows)
        indices = tf.stack([rows, timestep], 1)
        updates.append(tf.scatter_nd_update(buffer, indices, rows))
    return updates
