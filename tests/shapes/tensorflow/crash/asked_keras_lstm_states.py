# ValueError: An `initial_state` was passed that is not compatible with `cell.state_size`
from keras.layers import Input, LSTM, Dense
from keras.models import Model

latent_dim = 256
encoder_inputs = Input(shape=(None, 71))
encoder = LSTM(latent_dim, return_state=True)
encoder_outputs, state_h, state_c = encoder(encoder_inputs)
encoder_states = [state_h, state_c]
decoder_inputs = Input(shape=(None, 94))
decoder_lstm = LSTM(128, return_sequences=True, return_state=True)  # fixed: decoder_lstm = LSTM(latent_dim, return_sequences=True, return_state=True)
decoder_outputs, _, _ = decoder_lstm(decoder_inputs, initial_state=encoder_states)  # expect: DP602 or DP601
decoder_dense = Dense(94, activation='softmax')
decoder_outputs = decoder_dense(decoder_outputs)
model = Model([encoder_inputs, decoder_inputs], decoder_outputs)
