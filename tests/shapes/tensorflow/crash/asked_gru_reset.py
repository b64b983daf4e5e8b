# ValueError: Input 0 of layer gru_1 is incompatible with the layer: expected ndim=3, found ndim=4
import tensorflow as tf
from tensorflow.keras.layers import Input, Conv2D, MaxPooling2D, GRU, Dense, Bidirectional

inp = Input((32, 128, 1))
x = Conv2D(64, 3, padding='same', activation='relu')(inp)
x = MaxPooling2D((2, 2))(x)
#+ x = tf.keras.layers.Reshape((64, 16 * 64))(x)
x = Bidirectional(GRU(64, return_sequences=True))(x)  # expect: DP604
x = Dense(80, activation='softmax')(x)
