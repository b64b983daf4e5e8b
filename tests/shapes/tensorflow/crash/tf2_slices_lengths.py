# tensorflow 2: ValueError: Dimensions 100 and 80 are not compatible
import numpy as np
import tensorflow as tf

features = np.random.rand(100, 5)
labels = np.random.randint(0, 2, size=80)  # fixed: labels = np.random.randint(0, 2, size=100)
dataset = tf.data.Dataset.from_tensor_slices((features, labels))  # expect: DP602 or DP613
dataset = dataset.shuffle(100).batch(16)
