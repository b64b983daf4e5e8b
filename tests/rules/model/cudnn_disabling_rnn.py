import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.layers import LSTM

RATE = 0.3


def fires(x):
    a = layers.LSTM(64, recurrent_dropout=0.2)  # expect: DP213
    b = tf.keras.layers.GRU(64, reset_after=False)  # hint: DP213
    c = LSTM(64, activation="relu")  # expect: DP213
    d = LSTM(64, activation=tf.nn.relu)  # expect: DP213
    e = LSTM(64, recurrent_activation="hard_sigmoid")  # expect: DP213
    f = LSTM(64, unroll=True)  # hint: DP213
    g = LSTM(64, use_bias=False)  # hint: DP213
    h = LSTM(64, recurrent_dropout=RATE)  # expect: DP213
    i = layers.RNN(layers.LSTMCell(64))  # hint: DP213
    j = layers.RNN(layers.GRUCell(64), return_sequences=True)  # hint: DP213
    k = layers.Bidirectional(layers.LSTM(64, activation=None))  # expect: DP213
    return a, b, c, d, e, f, g, h, i, j, k


def silent(x, rate, options, cell):
    a = layers.LSTM(64)
    b = layers.LSTM(64, dropout=0.2)
    c = layers.LSTM(64, recurrent_dropout=0.0)
    d = layers.LSTM(64, recurrent_dropout=rate)
    e = layers.LSTM(64, activation="tanh", recurrent_activation="sigmoid")
    f = layers.GRU(64, reset_after=True)
    g = layers.LSTM(64, **options)
    h = layers.RNN(cell)
    i = layers.SimpleRNN(64, activation="relu")
    j = layers.LSTM(64, unroll=False, use_bias=True)
    k = layers.LSTM(64, activation=tf.tanh)
    m = layers.RNN(layers.LSTMCell(64, recurrent_dropout=0.1))
    n = layers.RNN([layers.LSTMCell(64), layers.LSTMCell(64)])
    o = layers.ConvLSTM2D(64, 3, recurrent_dropout=0.2)
    p = layers.Dense(64, activation="relu")
    return a, b, c, d, e, f, g, h, i, j, k, m, n, o, p


def chosen(allow_cudnn_kernel):
    if allow_cudnn_kernel:
        return layers.LSTM(64)
    else:
        return layers.RNN(layers.LSTMCell(64))
