# ValueError: Shapes (None, 1) and (None, 4) are incompatible
import numpy as np
import pandas as pd
from tensorflow.keras.preprocessing.text import Tokenizer
from tensorflow.keras.preprocessing.sequence import pad_sequences
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Embedding, LSTM, Dense, SpatialDropout1D
from sklearn.preprocessing import LabelEncoder
from sklearn.model_selection import train_test_split

df = pd.read_csv('news.csv')
tok = Tokenizer(num_words=5000, lower=True)
tok.fit_on_texts(df['text'].values)
X = tok.texts_to_sequences(df['text'].values)
X = pad_sequences(X, maxlen=100)
Y = LabelEncoder().fit_transform(df['label'])  # fixed: Y = pd.get_dummies(df['label']).values
X_train, X_test, Y_train, Y_test = train_test_split(X, Y, test_size=0.1)
model = Sequential()
model.add(Embedding(5000, 100, input_length=X.shape[1]))
model.add(SpatialDropout1D(0.2))
model.add(LSTM(100))
model.add(Dense(4, activation='softmax'))
model.compile(loss='categorical_crossentropy', optimizer='adam', metrics=['accuracy'])
history = model.fit(X_train, Y_train, epochs=5, batch_size=64, validation_split=0.1)  # expect: DP605
