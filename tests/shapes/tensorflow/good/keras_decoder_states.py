from tensorflow.keras.layers import Input, LSTM, Dense, Embedding
from tensorflow.keras.models import Model

enc_in = Input(shape=(None,))
x = Embedding(1000, 64)(enc_in)
_, h, c = LSTM(128, return_state=True)(x)
dec_in = Input(shape=(None,))
y = Embedding(1200, 64)(dec_in)
y, _, _ = LSTM(128, return_sequences=True, return_state=True)(y, initial_state=[h, c])
model = Model([enc_in, dec_in], Dense(1200, activation="softmax")(y))
