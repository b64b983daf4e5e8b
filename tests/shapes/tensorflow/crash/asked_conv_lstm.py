# ValueError: Input 0 of layer conv_lstm2d is incompatible with the layer: expected ndim=5, found ndim=4
import tensorflow as tf

inp = tf.keras.Input((64, 64, 1))  # fixed: inp = tf.keras.Input((10, 64, 64, 1))
x = tf.keras.layers.ConvLSTM2D(16, (3, 3), padding='same')(inp)  # expect: DP604
