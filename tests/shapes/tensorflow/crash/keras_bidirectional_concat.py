# keras: ValueError: A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis
from tensorflow.keras.layers import Input, LSTM, Bidirectional, Concatenate, Dense, GlobalMaxPooling1D
from tensorflow.keras.models import Model

inp = Input(shape=(60, 300))
seq = Bidirectional(LSTM(64, return_sequences=True))(inp)
pooled = GlobalMaxPooling1D()(seq)
merged = Concatenate()([seq, pooled])  # expect: DP602 or DP604  # fixed: merged = Concatenate()([pooled, pooled])
out = Dense(1, activation="sigmoid")(merged)
model = Model(inp, out)
