# ValueError: Layer weight shape (100, 50) not compatible with provided weight shape (100, 300)
import numpy as np
from keras.models import Sequential
from keras.layers import Embedding, LSTM, Dense

embedding_matrix = np.zeros((100, 300))
model = Sequential()
model.add(Embedding(100, 50, weights=[embedding_matrix], input_length=20))  # expect: DP601 or DP611 or DP602 # fixed: model.add(Embedding(100, 300, weights=[embedding_matrix], input_length=20))
model.add(LSTM(10))
model.add(Dense(1))
