# ValueError: Dimensions must be equal, but are 128 and 64
from tensorflow.keras import layers, Model, Input

enc = Input((20, 100))
dec = Input((15, 100))
e = layers.Bidirectional(layers.LSTM(64, return_sequences=True))(enc)
d = layers.LSTM(64, return_sequences=True)(dec)  # fixed: d = layers.LSTM(128, return_sequences=True)(dec)
score = layers.Dot(axes=[2, 2])([d, e])  # expect: DP602
w = layers.Softmax()(score)
ctx = layers.Dot(axes=[2, 1])([w, e])
out = layers.Dense(10)(layers.Concatenate()([ctx, d]))
model = Model([enc, dec], out)
