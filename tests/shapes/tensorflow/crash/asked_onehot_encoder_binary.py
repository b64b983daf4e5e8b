# ValueError: logits and labels must have the same shape ((None, 1) vs (None, 3))
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

data = load_iris()
X, y = data.data, tf.keras.utils.to_categorical(data.target, 3)
X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.3)
net = tf.keras.Sequential()
net.add(tf.keras.Input(shape=(4,)))
net.add(tf.keras.layers.Dense(16, activation='relu'))
net.add(tf.keras.layers.Dense(1, activation='sigmoid'))  # fixed: net.add(tf.keras.layers.Dense(3, activation='sigmoid'))
net.compile(loss='binary_crossentropy', optimizer='adam')
net.fit(X_train, y_train, epochs=5, validation_data=(X_val, y_val))  # expect: DP605
