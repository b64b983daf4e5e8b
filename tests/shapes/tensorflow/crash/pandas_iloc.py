# tensorflow: the model takes [N, 11], but gets [rows, 10]
import numpy as np
import pandas as pd
from keras.models import Sequential
from keras.layers import Dense
from sklearn.preprocessing import StandardScaler

df = pd.read_csv('Churn_Modelling.csv')
X = df.iloc[:, 3:13].values
y = df.iloc[:, 13].values
X = StandardScaler().fit_transform(X)
clf = Sequential()
clf.add(Dense(6, activation='relu', input_dim=11))  # fixed: clf.add(Dense(6, activation='relu', input_dim=10))
clf.add(Dense(6, activation='relu'))
clf.add(Dense(1, activation='sigmoid'))
clf.compile(optimizer='adam', loss='binary_crossentropy', metrics=['accuracy'])
clf.fit(X, y, batch_size=10, epochs=100)  # expect: DP613
