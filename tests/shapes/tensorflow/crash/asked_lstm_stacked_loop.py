# ValueError: Input 0 of layer lstm_1 is incompatible with the layer: expected ndim=3, found ndim=2
import argparse
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument('--layers', type=int, default=3)
parser.add_argument('--units', type=int, default=64)
parser.add_argument('--steps', type=int, default=30)
args = parser.parse_args()

def make(n_layers, units, steps):
    model = tf.keras.Sequential()
    model.add(tf.keras.layers.InputLayer(input_shape=(steps, 5)))
    for i in range(n_layers):
        model.add(tf.keras.layers.LSTM(units))  # expect: DP604 # fixed: model.add(tf.keras.layers.LSTM(units, return_sequences=i < n_layers - 1))
    model.add(tf.keras.layers.Dense(1))
    return model

model = make(args.layers, args.units, args.steps)
model.compile('adam', 'mse')
