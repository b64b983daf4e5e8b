# Keras layers that take a fixed number of dimensions.
from tensorflow.keras import Sequential
from tensorflow.keras.layers import LSTM, Bidirectional, Conv1D, Conv2D, Dense, Embedding, Flatten, Input, MaxPooling2D, TimeDistributed

stacked = Sequential()
stacked.add(LSTM(32, input_shape=(10, 5)))
stacked.add(LSTM(32))  # expect: DP604
stacked.add(Dense(1))

text = Sequential([
    Embedding(1000, 64, input_length=20),
    Bidirectional(LSTM(32)),
    Conv1D(16, 3),  # expect: DP604
])

flat = Sequential([
    Input(shape=(28, 28)),
    Conv2D(32, 3),  # expect: DP604
])

frames = Input(shape=(16,))
each = TimeDistributed(Dense(4))(frames)  # expect: DP604

# All of these fit.
good = Sequential()
good.add(LSTM(32, return_sequences=True, input_shape=(10, 5)))
good.add(LSTM(32))
good.add(Dense(1))
sizes = Sequential([Input(shape=(None, None, 3)), Conv2D(8, 3), MaxPooling2D(), Flatten()])
