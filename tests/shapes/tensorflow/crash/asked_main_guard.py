# ValueError: Error when checking target: expected dense_2 to have shape (2,) but got array with shape (1,)
import numpy as np
import keras
from keras import Sequential
from keras.layers import Dense

def get_data(n):
    X = np.random.randn(n, 6)
    y = (X.sum(axis=1) > 0).astype(int)
    return X, y

def get_model(input_dim):
    m = Sequential()
    m.add(Dense(16, activation='relu', input_dim=input_dim))
    m.add(Dense(2, activation='softmax'))
    m.compile(loss='categorical_crossentropy', optimizer='adam')  # fixed: m.compile(loss='sparse_categorical_crossentropy', optimizer='adam')
    return m

def main():
    X, y = get_data(500)
    model = get_model(X.shape[1])
    model.fit(X, y, epochs=3)  # expect: DP605

if __name__ == '__main__':
    main()
