# keras: ValueError: Inner dimensions (`x1.shape[-1]` and `x2.shape[-2]`) must be equal, but received x1.shape=(2, 8, 16) and x2.shape=(2, 8, 16)
import keras
from keras import ops

query = keras.random.normal((2, 8, 16))
key = keras.random.normal((2, 8, 16))
scores = ops.matmul(query, key)  # expect: DP602  # fixed: scores = ops.matmul(query, ops.transpose(key, (0, 2, 1)))
weights = ops.softmax(scores, axis=-1)
print(weights.shape)
