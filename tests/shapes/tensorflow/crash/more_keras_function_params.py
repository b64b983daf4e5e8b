# keras: shapes (None, 5) and (None, 4) are incompatible
import argparse
import numpy as np
from tensorflow.keras.layers import Input, Dense, Dropout
from tensorflow.keras.models import Model


def make_model(input_dim, hidden, n_out, activation="relu"):
    inp = Input((input_dim,))
    x = inp
    for units in hidden:
        x = Dense(units, activation=activation)(x)
        x = Dropout(0.1)(x)
    return Model(inp, Dense(n_out, activation="softmax")(x))


parser = argparse.ArgumentParser()
parser.add_argument("--dim", type=int, default=20)
parser.add_argument("--classes", type=int, default=4)
args = parser.parse_args()
model = make_model(args.dim, [64, 32], args.classes)
model.compile("adam", "categorical_crossentropy")
X = np.random.normal(size=(200, 20))
Y = np.eye(5)[np.random.randint(0, 5, 200)]  # fixed: Y = np.eye(4)[np.random.randint(0, 4, 200)]
model.fit(X, Y)  # expect: DP605
