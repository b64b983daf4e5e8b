# keras: ValueError: total size of new array must be unchanged, input_shape = [256], output_shape = [10, 20]
from tensorflow.keras.layers import Input, Dense, Reshape, LSTM, TimeDistributed
from tensorflow.keras.models import Model

latent = Input(shape=(64,))
h = Dense(256, activation="relu")(latent)  # fixed: h = Dense(200, activation="relu")(latent)
h = Reshape((10, 20))(h)  # expect: DP603
h = LSTM(32, return_sequences=True)(h)
out = TimeDistributed(Dense(1))(h)
model = Model(latent, out)
