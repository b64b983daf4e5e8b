# ValueError: Input 0 of layer "sequential" is incompatible with the layer: expected shape=(None, 32, 32, 3), found shape=(32, 32, 3)
import numpy as np
import tensorflow as tf
model = tf.keras.Sequential([tf.keras.Input((32, 32, 3)), tf.keras.layers.Conv2D(4, 3), tf.keras.layers.GlobalAveragePooling2D()])
images = np.random.rand(10, 32, 32, 3)
for img in images:
    p = model.predict(img)  # expect: DP613 # fixed: p = model.predict(img[None])
