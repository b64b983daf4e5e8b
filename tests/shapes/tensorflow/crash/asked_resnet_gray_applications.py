# ValueError: The input must have 3 channels; Received input_shape=(96, 96, 1)
import tensorflow as tf

base = tf.keras.applications.ResNet50(include_top=False, weights='imagenet', input_shape=(96, 96, 1))  # expect: DP601 or DP611 # fixed: base = tf.keras.applications.ResNet50(include_top=False, weights='imagenet', input_shape=(96, 96, 3))
model = tf.keras.Sequential([base, tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(1)])
model.compile('adam', 'binary_crossentropy')
