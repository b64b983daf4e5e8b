# tensorflow 2: ValueError: Dimension 0 in both shapes must be equal, but are 32 and 28
import numpy as np
import tensorflow as tf

images = np.random.rand(64, 28, 28, 3).astype("float32")
masks = np.random.rand(64, 32, 32, 1).astype("float32")  # fixed: masks = np.random.rand(64, 28, 28, 1).astype("float32")


def join(image, mask):
    return tf.concat([image, mask], axis=-1)  # expect: DP602


ds = tf.data.Dataset.from_tensor_slices((images, masks)).map(join).batch(8)
