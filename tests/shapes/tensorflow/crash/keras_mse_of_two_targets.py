# keras: ValueError: Dimensions must be equal, but are 2 and 3 for mean_squared_error
import numpy as np
import tensorflow as tf
from sklearn.model_selection import train_test_split

X = np.random.rand(1000, 5)
y = np.random.rand(1000, 3)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2)
model = tf.keras.models.Sequential()
model.add(tf.keras.layers.Dense(32, input_dim=5, activation="relu"))
model.add(tf.keras.layers.Dense(2))  # or here  # fixed: model.add(tf.keras.layers.Dense(3))
model.compile(loss="mean_squared_error", optimizer="adam")
model.fit(X_train, y_train, epochs=3)  # expect: DP605
