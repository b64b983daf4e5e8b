import numpy as np
import keras
from keras import layers

timesteps = 10
x = np.random.random((1000, timesteps, 16))
y = np.random.randint(0, 2, (1000,))
model = keras.Sequential([
    layers.Masking(input_shape=(timesteps, 16)),
    layers.Bidirectional(layers.LSTM(32, return_sequences=True)),
    layers.LSTM(16),
    layers.Dense(1, activation="sigmoid"),
])
model.compile("adam", "binary_crossentropy")
model.fit(x[:800], y[:800], validation_data=(x[800:], y[800:]))
probs = model.predict(x[:5])
labels = (probs > 0.5).astype(int)
acc = np.mean(labels[:, 0] == y[:5])
flat = probs.reshape(-1) - y[:5]
one = model.predict(x[:1])[0, 0]
row = model.predict(np.expand_dims(x[3], 0))
