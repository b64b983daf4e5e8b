# tensorflow: concatenate of [N, 20, 16] and [N, 4] is invalid: all sizes but that of axis -1 must be equal
import numpy as np
from keras.layers import Input, Dense, Embedding, Flatten, concatenate
from keras.models import Model

text_in = Input(shape=(20,), name='text')
num_in = Input(shape=(4,), name='numeric')
emb = Embedding(1000, 16)(text_in)
x = emb  # fixed: x = Flatten()(emb)
merged = concatenate([x, num_in])  # expect: DP604
h = Dense(32, activation='relu')(merged)
out = Dense(1, activation='sigmoid')(h)
model = Model(inputs=[text_in, num_in], outputs=out)
model.compile('adam', 'binary_crossentropy')
t = np.random.randint(0, 1000, (50, 20))
n = np.random.rand(50, 4)
y = np.random.randint(0, 2, 50)
model.fit([t, n], y, epochs=2)
