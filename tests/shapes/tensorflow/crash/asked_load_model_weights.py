# ValueError: Cannot feed value of shape (256, 256, 3) for Tensor 'input', which has shape '(?, 224, 224, 3)'
import numpy as np
import tensorflow as tf
model = tf.keras.applications.ResNet50(weights='imagenet')
img = tf.keras.preprocessing.image.load_img('elephant.jpg', target_size=(256, 256))  # fixed: img = tf.keras.preprocessing.image.load_img('elephant.jpg', target_size=(224, 224))
x = tf.keras.preprocessing.image.img_to_array(img)
x = np.expand_dims(x, axis=0)
x = tf.keras.applications.resnet50.preprocess_input(x)
preds = model.predict(x)  # expect: DP613
