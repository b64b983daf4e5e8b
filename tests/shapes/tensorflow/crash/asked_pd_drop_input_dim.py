# ValueError: Error when checking input: expected dense_1_input to have shape (3,) but got array with shape (2,)
import pandas as pd
from keras.models import Sequential
from keras.layers import Dense

train = pd.read_csv('train.csv')
features = ['age', 'fare']  # fixed: features = ['age', 'fare', 'sex']
X = train[features]
y = train['survived']
model = Sequential()
model.add(Dense(8, input_dim=3, activation='relu'))
model.add(Dense(1, activation='sigmoid'))
model.compile(optimizer='adam', loss='binary_crossentropy', metrics=['accuracy'])
model.fit(X.values, y.values, epochs=10)  # expect: DP613
