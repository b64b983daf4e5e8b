# tensorflow: sparse_categorical_crossentropy takes class numbers, but gets labels [600, classes] and an output of [600, 3]
import numpy as np
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Dense, Dropout
from tensorflow.keras.utils import to_categorical

x_train = np.random.random((600, 13))
labels = np.random.randint(0, 3, 600)
y_train = to_categorical(labels)  # fixed: y_train = labels

model = Sequential([
    Dense(32, activation='relu', input_shape=(13,)),
    Dropout(0.3),
    Dense(3, activation='softmax'),
])
model.compile('adam', 'sparse_categorical_crossentropy', metrics=['accuracy'])
history = model.fit(x_train, y_train, epochs=10, batch_size=32)  # expect: DP605
