# keras: ValueError: When setting `include_top=True` and loading `imagenet` weights, `input_shape` should be (224, 224, 3). Received: input_shape=(128, 128, 3)
import tensorflow as tf

model = tf.keras.applications.ResNet50(weights="imagenet", input_shape=(128, 128, 3))  # expect: DP611 or DP613  # fixed: model = tf.keras.applications.ResNet50(weights="imagenet", include_top=False, input_shape=(128, 128, 3))
images = tf.random.uniform((4, 128, 128, 3))
features = model(images)
print(features.shape)
