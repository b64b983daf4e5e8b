# ValueError: Input 0 of layer lstm is incompatible with the layer: expected ndim=3, found ndim=5
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import TimeDistributed, Conv2D, MaxPooling2D, Flatten, LSTM, Dense

frames, h, w, c = 10, 64, 64, 3
model = Sequential()
model.add(TimeDistributed(Conv2D(32, (3, 3), activation='relu'), input_shape=(frames, h, w, c)))
model.add(TimeDistributed(MaxPooling2D((2, 2))))
#+ model.add(TimeDistributed(Flatten()))
model.add(LSTM(64))  # expect: DP604
model.add(Dense(5, activation='softmax'))
model.compile('adam', 'categorical_crossentropy')
