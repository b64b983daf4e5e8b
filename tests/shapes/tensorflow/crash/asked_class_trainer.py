# ValueError: Input 0 of layer "sequential" is incompatible with the layer: expected shape=(None, 7), found shape=(None, 5)
import numpy as np
import tensorflow as tf

class Trainer:
    def __init__(self, n_features=7, n_out=1):
        self.n_features = n_features
        self.model = self.build(n_out)

    def build(self, n_out):
        model = tf.keras.Sequential()
        model.add(tf.keras.Input(shape=(self.n_features,)))
        for units in [32, 16]:
            model.add(tf.keras.layers.Dense(units, activation='relu'))
        model.add(tf.keras.layers.Dense(n_out))
        model.compile(optimizer='adam', loss='mse')
        return model

    def train(self, X, y):
        return self.model.fit(X, y, epochs=2, verbose=0)  # expect: DP613

X = np.random.rand(64, 5)
y = np.random.rand(64, 1)
t = Trainer()  # fixed: t = Trainer(n_features=X.shape[1])
t.train(X, y)
