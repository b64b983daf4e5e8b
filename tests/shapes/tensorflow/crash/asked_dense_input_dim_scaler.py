# ValueError: Error when checking input: expected dense_1_input to have shape (12,) but got array with shape (11,)
import numpy as np
from keras.models import Sequential
from keras.layers import Dense
from sklearn.preprocessing import MinMaxScaler

dataset = np.random.random((768, 12))
X = dataset[:, 0:11]
Y = dataset[:, 11]
X = MinMaxScaler().fit_transform(X)

classifier = Sequential()
classifier.add(Dense(units=6, kernel_initializer='uniform', activation='relu', input_dim=12))  # fixed: classifier.add(Dense(units=6, kernel_initializer='uniform', activation='relu', input_dim=11))
classifier.add(Dense(units=1, kernel_initializer='uniform', activation='sigmoid'))
classifier.compile(optimizer='adam', loss='binary_crossentropy', metrics=['accuracy'])
classifier.fit(X, Y, batch_size=10, epochs=100)  # expect: DP613
