# ValueError: logits and labels must have the same first dimension, got logits shape [640,20] and labels shape [32]
import numpy as np
import tensorflow as tf

vocab, maxlen = 5000, 20
x = np.random.randint(0, vocab, (1000, maxlen))
y = np.random.randint(0, 20, 1000)
model = tf.keras.Sequential([
    tf.keras.layers.Embedding(vocab, 64, input_length=maxlen),
    tf.keras.layers.LSTM(64, return_sequences=True),  # fixed: tf.keras.layers.LSTM(64),
    tf.keras.layers.Dense(20, activation='softmax'),
])
model.compile(loss='sparse_categorical_crossentropy', optimizer='adam')
model.fit(x, y, epochs=2)  # expect: DP605
