# ValueError: logits and labels must have the same shape: (None, 62, 62, 1) against (None, 1)
import numpy as np
from tensorflow.keras import layers, models

images = np.zeros((200, 64, 64, 3), dtype=np.float32)
labels = np.ones((200, 1))

model = models.Sequential()
model.add(layers.Conv2D(16, 3, activation='relu', input_shape=(64, 64, 3)))
#+ model.add(layers.Flatten())
model.add(layers.Dense(1, activation='sigmoid'))
model.compile(optimizer='adam', loss='binary_crossentropy')
model.fit(images, labels, epochs=3)  # expect: DP605
