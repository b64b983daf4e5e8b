# ValueError: Input 0 of layer sequential is incompatible with the layer: expected shape=(None, 60, 2), found shape=(None, 60, 1)
import numpy as np
from sklearn.preprocessing import MinMaxScaler
from keras.models import Sequential
from keras.layers import Dense, LSTM, Dropout

prices = np.random.rand(2000, 1)
sc = MinMaxScaler(feature_range=(0, 1))
scaled = sc.fit_transform(prices)
X_train = []
y_train = []
for i in range(60, 2000):
    X_train.append(scaled[i-60:i, 0])
    y_train.append(scaled[i, 0])
X_train, y_train = np.array(X_train), np.array(y_train)
X_train = np.reshape(X_train, (X_train.shape[0], X_train.shape[1], 1))
regressor = Sequential()
regressor.add(LSTM(units=50, return_sequences=True, input_shape=(X_train.shape[1], 2)))  # fixed: regressor.add(LSTM(units=50, return_sequences=True, input_shape=(X_train.shape[1], 1)))
regressor.add(Dropout(0.2))
regressor.add(LSTM(units=50))
regressor.add(Dense(units=1))
regressor.compile(optimizer='adam', loss='mean_squared_error')
regressor.fit(X_train, y_train, epochs=100, batch_size=32)  # expect: DP613 or DP601
