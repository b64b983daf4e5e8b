# ValueError: Error when checking input: expected lstm_1_input to have shape (40, 57) but got array with shape (40, 40)
import numpy as np
from keras.models import Sequential
from keras.layers import Dense, LSTM

text = 'the quick brown fox jumps over the lazy dog ' * 50
chars = sorted(list(set(text)))
maxlen = 40
sentences = []
next_chars = []
for i in range(0, len(text) - maxlen, 3):
    sentences.append(text[i: i + maxlen])
    next_chars.append(text[i + maxlen])
x = np.zeros((len(sentences), maxlen, maxlen), dtype=bool)  # fixed: x = np.zeros((len(sentences), maxlen, len(chars)), dtype=bool)
y = np.zeros((len(sentences), len(chars)), dtype=bool)
model = Sequential()
model.add(LSTM(128, input_shape=(maxlen, 57)))  # fixed: model.add(LSTM(128, input_shape=(maxlen, len(chars))))
model.add(Dense(len(chars), activation='softmax'))
model.compile(loss='categorical_crossentropy', optimizer='adam')
model.fit(x, y, batch_size=128, epochs=1)  # expect: DP613
