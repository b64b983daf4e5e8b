# keras: ValueError: expected shape=(None, 20, 3), found shape=(None, 3, 20)
import numpy as np
from tensorflow.keras import Input, Model
from tensorflow.keras.layers import LSTM, Dense

acc = np.random.randn(200, 3, 20)
#+ acc = np.transpose(acc, (0, 2, 1))
labels = np.random.randint(0, 6, (200,))
i = Input(shape=(20, 3))
o = Dense(6, activation="softmax")(LSTM(32)(i))
m = Model(i, o)
m.compile("adam", "sparse_categorical_crossentropy")
m.fit(acc, labels, epochs=2)  # expect: DP613
