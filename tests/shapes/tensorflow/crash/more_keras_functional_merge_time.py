# keras: Concatenate needs inputs with the same shape but for the axis: (None, 12, 16) and (None, 3)
from keras.layers import Input, LSTM, Dense, Flatten, Concatenate, RepeatVector
from keras.models import Model
import numpy as np

seq = Input(shape=(12, 5))
static = Input(shape=(3,))
h = LSTM(16, return_sequences=True)(seq)
merged = Concatenate()([h, static])  # expect: DP602 or DP604  # fixed: merged = Concatenate()([h, RepeatVector(12)(static)])
out = Dense(1)(Flatten()(merged))
model = Model(inputs=[seq, static], outputs=out)
