# tensorflow: Conv2D takes at least 4 dimensions with that of the batch, but gets [N, 400, 50]
from keras.models import Sequential
from keras.layers import Embedding, Conv1D, Conv2D, GlobalMaxPooling1D, GlobalMaxPooling2D, Dense

max_words, maxlen = 5000, 400
model = Sequential()
model.add(Embedding(max_words, 50, input_length=maxlen))
model.add(Conv2D(64, (3, 3), padding='valid', activation='relu'))  # expect: DP604  # fixed: model.add(Conv1D(64, 3, padding='valid', activation='relu'))
model.add(GlobalMaxPooling2D())  # fixed: model.add(GlobalMaxPooling1D())
model.add(Dense(1, activation='sigmoid'))
model.compile(loss='binary_crossentropy', optimizer='adam')
