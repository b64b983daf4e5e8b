# ValueError: A `Concatenate` layer requires inputs with matching shapes except for the concat axis: (None, 32) and (None, 10, 16)
from keras.layers import Input, Dense, LSTM, Embedding, concatenate
from keras.models import Model

num = Input(shape=(12,), name='numeric')
txt = Input(shape=(10,), name='text')
a = Dense(32, activation='relu')(num)
b = Embedding(5000, 64)(txt)
b = LSTM(16, return_sequences=True)(b)  # fixed: b = LSTM(16)(b)
m = concatenate([a, b])  # expect: DP602 or DP604
out = Dense(1, activation='sigmoid')(m)
model = Model(inputs=[num, txt], outputs=out)
