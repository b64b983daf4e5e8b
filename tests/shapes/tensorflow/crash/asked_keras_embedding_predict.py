# ValueError: expected embedding_1_input to have shape (50,) but got array with shape (30,)
from keras.preprocessing.text import Tokenizer
from keras.preprocessing.sequence import pad_sequences
from keras.models import Sequential
from keras.layers import Embedding, Conv1D, GlobalMaxPooling1D, Dense

texts = ['good movie', 'bad movie']
tokenizer = Tokenizer(num_words=1000)
tokenizer.fit_on_texts(texts)
seqs = pad_sequences(tokenizer.texts_to_sequences(texts), maxlen=50)
model = Sequential()
model.add(Embedding(1000, 16, input_length=50))
model.add(Conv1D(32, 5))
model.add(GlobalMaxPooling1D())
model.add(Dense(1, activation='sigmoid'))
model.compile('adam', 'binary_crossentropy')
new = pad_sequences(tokenizer.texts_to_sequences(['fine']), maxlen=30)  # fixed: new = pad_sequences(tokenizer.texts_to_sequences(['fine']), maxlen=50)
print(model.predict(new))  # expect: DP613
