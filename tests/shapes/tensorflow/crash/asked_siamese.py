# ValueError: Layer model_1 expects 2 input(s)
import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Input, Dense, Lambda, Flatten
from tensorflow.keras.models import Model

def euclidean(vects):
    x, y = vects
    return K.sqrt(K.sum(K.square(x - y), axis=1, keepdims=True))

def base(shape):
    i = Input(shape)
    h = Flatten()(i)
    h = Dense(128, activation='relu')(h)
    return Model(i, h)

shape = (28, 28)
net = base(shape)
a, b = Input(shape), Input(shape)
dist = Lambda(euclidean)([net(a), net(b)])
model = Model([a, b], dist)
model.compile('adam', 'mse')
pairs = np.zeros((200, 2, 28, 28))
model.fit(pairs, np.zeros(200))  # expect: DP613 # fixed: model.fit([pairs[:, 0], pairs[:, 1]], np.zeros(200))
