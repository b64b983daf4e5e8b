# keras: ValueError: Shapes (None, 1) and (None, 3) are incompatible
import pandas as pd
import numpy as np
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split
from tensorflow import keras

X = np.random.rand(150, 4)
y = np.random.randint(0, 3, size=150)
#+ y = keras.utils.to_categorical(y, 3)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=42)
model = keras.models.Sequential([
    keras.layers.Dense(16, activation="relu", input_shape=(4,)),
    keras.layers.Dense(3, activation="softmax"),
])
model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])  # or here
model.fit(X_train, y_train, epochs=10, validation_data=(X_test, y_test))  # expect: DP605
