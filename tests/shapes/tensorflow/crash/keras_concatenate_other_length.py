# keras: ValueError: A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. Received: input_shape=[(None, 50, 64), (None, 40, 64)]
from tensorflow.keras.layers import Input, Embedding, LSTM, Dense, Concatenate
from tensorflow.keras.models import Model

title = Input(shape=(50,), dtype="int32")
body = Input(shape=(40,), dtype="int32")
shared = Embedding(20000, 64)
t = shared(title)
b = shared(body)
merged = Concatenate(axis=-1)([t, b])  # expect: DP602  # fixed: merged = Concatenate(axis=1)([t, b])
out = Dense(1, activation="sigmoid")(LSTM(32)(merged))
model = Model([title, body], out)
model.summary()
