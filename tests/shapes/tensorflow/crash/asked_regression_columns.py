# ValueError: Error when checking input: expected dense_1_input to have shape (7,) but got array with shape (6,)
import pandas as pd
import numpy as np
from keras.models import Sequential
from keras.layers import Dense

names = ['mpg', 'cyl', 'disp', 'hp', 'weight', 'acc', 'year']
raw = pd.read_csv('auto.data', names=names, sep=' ')
data = raw[names].copy()
data = data.dropna()
target = data.pop('mpg')
X = data.values
model = Sequential()
model.add(Dense(10, input_shape=(len(names),)))  # fixed: model.add(Dense(10, input_shape=(len(names) - 1,)))
model.add(Dense(1))
model.compile('adam', 'mse')
model.fit(X, target.values)  # expect: DP613
