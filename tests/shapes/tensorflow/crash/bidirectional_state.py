# tensorflow: LSTM has 128 units, but its initial state is [N, 256]
import tensorflow as tf
from tensorflow.keras.layers import Input, LSTM, Dense, Embedding, Bidirectional, Concatenate
from tensorflow.keras.models import Model

enc_in = Input(shape=(None,))
e = Embedding(3000, 64)(enc_in)
_, fh, fc, bh, bc = Bidirectional(LSTM(128, return_state=True))(e)
h = Concatenate()([fh, bh])
c = Concatenate()([fc, bc])
dec_in = Input(shape=(None,))
d = Embedding(3000, 64)(dec_in)
dec = LSTM(128, return_sequences=True, return_state=True)  # fixed: dec = LSTM(256, return_sequences=True, return_state=True)
out, _, _ = dec(d, initial_state=[h, c])  # expect: DP602
probs = Dense(3000, activation='softmax')(out)
model = Model([enc_in, dec_in], probs)
