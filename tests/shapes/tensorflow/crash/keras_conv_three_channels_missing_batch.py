# keras: ValueError: Input 0 of layer sequential is incompatible with the layer: expected min_ndim=4, found ndim=3. Full shape received: (None, 64, 3)
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

model = keras.Sequential([
    keras.Input(shape=(64, 64, 3)),
    layers.Conv2D(32, 3, activation="relu"),
    layers.MaxPooling2D(2),
    layers.Flatten(),
    layers.Dense(5, activation="softmax"),
])
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
images = np.random.rand(200, 64, 64, 3)
labels = np.random.randint(0, 5, size=(200,))
model.fit(images, labels, epochs=2)
image = images[0]
print(model.predict(image))  # expect: DP613 or DP604  # fixed: print(model.predict(np.expand_dims(image, axis=0)))
