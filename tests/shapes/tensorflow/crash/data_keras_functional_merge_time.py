# the library refuses this: see the line that is marked
from keras.layers import Input, LSTM, Dense, Flatten, Concatenate, RepeatVector
from keras.models import Model
import numpy as np

seq = Input(shape=(12, 5))
static = Input(shape=(3,))
h = LSTM(16, return_sequences=True)(seq)
merged = Concatenate()([h, static])  # expect: DP602 or DP604  # fixed: merged = Concatenate()([h, RepeatVector(12)(static)])
out = Dense(1)(Flatten()(merged))
model = Model(inputs=[seq, static], outputs=out)
