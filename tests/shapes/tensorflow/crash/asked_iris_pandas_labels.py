# ValueError: Shapes (None, 1) and (None, 3) are incompatible
import pandas as pd
from tensorflow import keras
from tensorflow.keras import layers

df = pd.read_csv('iris.csv')
X = df.iloc[:, 0:4].values
y = df['species'].astype('category').cat.codes.values

model = keras.Sequential([
    layers.Dense(8, activation='relu', input_shape=(4,)),
    layers.Dense(3, activation='softmax'),
])
model.compile(optimizer='adam',
              loss='categorical_crossentropy',  # fixed: loss='sparse_categorical_crossentropy',
              metrics=['accuracy'])
history = model.fit(X, y, epochs=50, batch_size=5)  # expect: DP605
