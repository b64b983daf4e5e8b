# keras: ValueError: Negative dimension size caused by subtracting 3 from 2 for 'conv2d_4/Conv2D' with input shapes: [?,2,2,64], [3,3,64,64]
from tensorflow.keras import Sequential
from tensorflow.keras.layers import Conv2D, MaxPooling2D, Flatten, Dense

model = Sequential([
    Conv2D(32, (3, 3), activation="relu", input_shape=(28, 28, 1)),
    MaxPooling2D(2, 2),
    Conv2D(64, (3, 3), activation="relu"),
    MaxPooling2D(2, 2),
    Conv2D(64, (3, 3), activation="relu"),
    MaxPooling2D(2, 2),  # fixed:
    Conv2D(64, (3, 3), activation="relu"),  # expect: DP612
    Flatten(),
    Dense(10, activation="softmax"),
])
model.summary()
