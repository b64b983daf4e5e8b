import tensorflow as tf

VECTORS = 100
DIMENSION = 32

vectors = tf.random.uniform((VECTORS, DIMENSION), seed=1)


def distances(vectors):
    rows = []
    for i in range(vectors.shape[0]):
        row = []
        for j in range(vectors.shape[0]):
            row.append(tf.norm(vectors[i] - vectors[j]))
        rows.append(tf.stack(row))
    return tf.stack(rows)


matrix = distances(vectors)
result = float(tf.reduce_max(matrix))
