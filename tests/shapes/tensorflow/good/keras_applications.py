import numpy as np
import tensorflow as tf
from tensorflow.keras.applications import ResNet50, EfficientNetB3
from tensorflow.keras.applications.resnet50 import preprocess_input

base = ResNet50(include_top=False, weights="imagenet", input_shape=(None, None, 3))
feat = base(tf.zeros((2, 97, 131, 3)))
clf = ResNet50(weights="imagenet")
img = tf.keras.preprocessing.image.load_img("a.jpg", target_size=(224, 224))
x = preprocess_input(np.expand_dims(tf.keras.preprocessing.image.img_to_array(img), 0))
clf.predict(x)
b3 = EfficientNetB3(include_top=False, pooling="max", input_shape=(300, 300, 3))
head = tf.keras.Sequential([b3, tf.keras.layers.Dense(5)])
head(tf.zeros((1, 300, 300, 3)))
gray = ResNet50(include_top=False, weights=None, input_shape=(64, 64, 1))
inp = tf.keras.Input((48, 48, 3))
up = tf.keras.layers.Resizing(224, 224)(inp)
out = ResNet50(weights=None, classes=7, input_tensor=up)
