# tensorflow: the model takes [N, 64, 64, 3], but gets [64, 64, 3]
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models

model = models.Sequential([
    layers.Conv2D(16, 3, activation='relu', input_shape=(64, 64, 3)),
    layers.GlobalAveragePooling2D(),
    layers.Dense(2, activation='softmax'),
])
model.compile(optimizer='adam', loss='sparse_categorical_crossentropy')
x = np.random.rand(20, 64, 64, 3)
y = np.random.randint(0, 2, 20)
model.fit(x, y, epochs=1)

img = tf.keras.preprocessing.image.load_img('cat.jpg', target_size=(64, 64))
arr = tf.keras.preprocessing.image.img_to_array(img) / 255.
#+ arr = np.expand_dims(arr, axis=0)
probs = model.predict(arr)  # expect: DP613
print(np.argmax(probs))
