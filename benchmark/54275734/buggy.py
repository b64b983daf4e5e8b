import os

import cv2
import numpy as np
from keras.layers import Conv2D, Dense, GlobalAveragePooling2D
from keras.models import Sequential

SIZE = 224
BATCH = 32
FOLDER = "train"

images, labels = [], []
for label, name in enumerate(sorted(os.listdir(FOLDER))):
    for file in os.listdir(os.path.join(FOLDER, name)):
        image = cv2.imread(os.path.join(FOLDER, name, file))
        images.append(cv2.resize(image, (SIZE, SIZE)))
        labels.append(label)
x = np.array(images) / 255.0
y = np.array(labels)

model = Sequential([Conv2D(16, 3, activation="relu", input_shape=(SIZE, SIZE, 3)), GlobalAveragePooling2D(), Dense(10, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x, y, batch_size=BATCH, epochs=5)
result = 5
