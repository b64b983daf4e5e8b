# keras: ValueError: Input size must be at least 32x32; Received: input_shape=(28, 28, 3)
from tensorflow.keras.applications import VGG16
from tensorflow.keras import layers, models

base = VGG16(weights="imagenet", include_top=False, input_shape=(28, 28, 3))  # expect: DP611 or DP612  # fixed: base = VGG16(weights="imagenet", include_top=False, input_shape=(32, 32, 3))
base.trainable = False
model = models.Sequential([base, layers.Flatten(), layers.Dense(10, activation="softmax")])
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
