# keras: ValueError: Layer "dense" expects 1 input(s), but it received 3 input tensors.
from tensorflow.keras.layers import Input, LSTM, Dense
from tensorflow.keras.models import Model

encoder_inputs = Input(shape=(None, 71))
encoder = LSTM(256, return_state=True)
encoder_outputs = encoder(encoder_inputs)  # fixed: encoder_outputs, state_h, state_c = encoder(encoder_inputs)
outputs = Dense(93, activation="softmax")(encoder_outputs)  # expect: DP610
model = Model(encoder_inputs, outputs)
