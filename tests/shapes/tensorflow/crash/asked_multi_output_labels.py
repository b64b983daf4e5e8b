# ValueError: Shapes (None, 1) and (None, 5) are incompatible
import numpy as np
from tensorflow.keras import Input, Model
from tensorflow.keras.layers import Dense

inp = Input(shape=(16,))
h = Dense(32, activation='relu')(inp)
kind = Dense(5, activation='softmax', name='kind')(h)
score = Dense(1, name='score')(h)
model = Model(inp, [kind, score])
model.compile(optimizer='adam', loss=['categorical_crossentropy', 'mse'])  # fixed: model.compile(optimizer='adam', loss=['sparse_categorical_crossentropy', 'mse'])
X = np.random.rand(256, 16)
kinds = np.random.randint(0, 5, (256,))
scores = np.random.rand(256)
model.fit(X, [kinds, scores], epochs=2)  # expect: DP605
