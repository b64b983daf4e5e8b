# ValueError: Error when checking input: expected lstm_1_input to have shape (30, 5) but got array with shape (30, 4)
import numpy as np
import pandas as pd
from sklearn.preprocessing import MinMaxScaler
from keras.models import Sequential
from keras.layers import LSTM, Dense

df = pd.read_csv('stock.csv', parse_dates=['Date'], index_col='Date')
cols = ['Open', 'High', 'Low', 'Close']
data = MinMaxScaler().fit_transform(df[cols])
n_steps = 30
X, y = [], []
for i in range(len(data) - n_steps):
    X.append(data[i:i + n_steps])
    y.append(data[i + n_steps, 3])
X, y = np.array(X), np.array(y)
model = Sequential()
model.add(LSTM(32, input_shape=(n_steps, 5)))  # fixed: model.add(LSTM(32, input_shape=(n_steps, len(cols))))
model.add(Dense(1))
model.compile('adam', 'mse')
model.fit(X, y, epochs=2)  # expect: DP613
