# ValueError: Input 0 of layer lstm is incompatible with the layer: expected ndim=3, found ndim=2
import pandas as pd
import numpy as np
import tensorflow as tf
from sklearn.preprocessing import MinMaxScaler

df = pd.read_csv('prices.csv', index_col=0)
df = df.dropna()
scaler = MinMaxScaler(feature_range=(0, 1))
X = scaler.fit_transform(df.iloc[:, 1:6].values)
y = df['Close'].values
#+ X = np.reshape(X, (X.shape[0], 1, X.shape[1]))
model = tf.keras.models.Sequential()
model.add(tf.keras.layers.LSTM(50, return_sequences=True, input_shape=(1, 5)))
model.add(tf.keras.layers.LSTM(50))
model.add(tf.keras.layers.Dense(1))
model.compile('adam', 'mse')
model.fit(X, y, epochs=5)  # expect: DP613
