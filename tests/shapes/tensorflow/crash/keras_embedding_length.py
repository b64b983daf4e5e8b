# keras: ValueError: Input 0 of layer dense is incompatible with the layer: expected axis -1 of input shape to have value 800 but received input with shape (None, 1600)
import numpy as np
from keras.preprocessing.sequence import pad_sequences
from keras.models import Sequential
from keras.layers import Embedding, Flatten, Dense

docs = [[1, 2, 3], [4, 5], [6, 7, 8, 9], [10]]
labels = np.array([1, 1, 0, 0])
padded = pad_sequences(docs, maxlen=8, padding='post')  # fixed: padded = pad_sequences(docs, maxlen=4, padding='post')

model = Sequential()
model.add(Embedding(50, 8, input_length=4))
model.add(Flatten())
model.add(Dense(1, activation='sigmoid'))
model.compile(optimizer='adam', loss='binary_crossentropy', metrics=['accuracy'])
model.fit(padded, labels, epochs=50, verbose=0)  # expect: DP613 or DP601
