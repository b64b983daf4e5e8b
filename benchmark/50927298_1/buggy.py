import numpy as np
import tensorflow as tf

BATCH = 10000
CLUSTERS = 50
STEPS = 20

points = np.random.rand(200000, 32).astype(np.float32)


def input_fn():
    dataset = tf.data.Dataset.from_tensor_slices(points)
    dataset = dataset.shuffle(20000).repeat().batch(BATCH)
    return dataset


kmeans = tf.contrib.factorization.KMeansClustering(num_clusters=CLUSTERS, use_mini_batch=True)
kmeans.train(input_fn, steps=STEPS)
result = kmeans.cluster_centers().shape[0]
