# ValueError: Dimensions must be equal, but are 32 and 16
import tensorflow as tf
from tensorflow.keras.layers import Dense, Input, Multiply, GlobalAveragePooling2D, Conv2D, Reshape
inp = Input((16, 16, 32))
se = GlobalAveragePooling2D()(inp)
se = Dense(8, activation='relu')(se)
se = Dense(16, activation='sigmoid')(se)  # fixed: se = Dense(32, activation='sigmoid')(se)
se = Reshape((1, 1, 16))(se)  # fixed: se = Reshape((1, 1, 32))(se)
out = Multiply()([inp, se])  # expect: DP602
