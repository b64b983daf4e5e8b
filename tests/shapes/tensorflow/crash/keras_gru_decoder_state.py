# keras: ValueError: An `initial_state` was passed that is not compatible with `cell.state_size`
from keras.layers import Input, GRU, Dense
from keras.models import Model

enc_in = Input(shape=(None, 40))
_, state = GRU(128, return_state=True)(enc_in)
dec_in = Input(shape=(None, 60))
dec_out = GRU(256, return_sequences=True)(dec_in, initial_state=state)  # expect: DP602 or DP601  # fixed: dec_out = GRU(128, return_sequences=True)(dec_in, initial_state=state)
model = Model([enc_in, dec_in], Dense(60, activation='softmax')(dec_out))
