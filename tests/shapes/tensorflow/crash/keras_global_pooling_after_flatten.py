# keras: ValueError: Input 0 of layer global_average_pooling2d is incompatible with the layer: expected ndim=4, found ndim=2
from tensorflow.keras import layers, Sequential

model = Sequential([
    layers.Conv2D(16, 3, padding="same", activation="relu", input_shape=(96, 96, 3)),
    layers.MaxPooling2D(),
    layers.Flatten(),  # fixed:
    layers.GlobalAveragePooling2D(),  # expect: DP604
    layers.Dense(4),
])
model.compile(loss="mse", optimizer="sgd")
