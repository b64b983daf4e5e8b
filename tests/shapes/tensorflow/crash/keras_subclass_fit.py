# keras: ValueError: Exception encountered when calling layer: expected min_ndim=4, found ndim=2
import numpy as np
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self, num_classes=10):
        super(Net, self).__init__()
        self.conv1 = tf.keras.layers.Conv2D(16, 3, activation="relu")
        self.flatten = tf.keras.layers.Flatten()
        self.fc = tf.keras.layers.Dense(num_classes)

    def call(self, x, training=False):
        x = self.conv1(x)  # expect: DP604
        x = self.flatten(x)
        return self.fc(x)


x = np.random.rand(64, 784).astype("float32")
#+ x = x.reshape(-1, 28, 28, 1)
y = np.random.randint(0, 10, size=(64,))
net = Net()
net.compile(optimizer="adam", loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
net.fit(x, y, epochs=1)
