from tensorflow import keras
from tensorflow.keras import backend as K

model = keras.models.load_model("model.h5")
gan = keras.models.load_model("gan.h5")


def fires(batches, epochs):
    for x, y in batches:
        model.compile(loss="mse", optimizer="adam")  # expect: DP111
        model.train_on_batch(x, y)
    for epoch in range(epochs):
        gan.compile(loss="mse", optimizer=keras.optimizers.Adam(0.1))  # expect: DP111
        gan.fit(batches)
    for x in batches:
        f = K.function([model.input], [model.output])  # expect: DP111
        print(f([x]))


def evaluates(batches, loss):
    for x, y in batches:
        model.train_on_batch(x, y)
        print(K.eval(loss))  # expect: DP111
    for x, y in batches:
        print(K.get_value(loss))  # hint: DP111


class Trainer:
    def __init__(self):
        self.model = keras.Sequential([keras.layers.Dense(1)])

    def run(self, n):
        while n > 0:
            self.model.compile("sgd", "mse")  # expect: DP111
            n -= 1


def silent(rates, configs, models):
    model.compile(loss="mse", optimizer="adam")
    for rate in rates:
        model.compile(loss="mse", optimizer=keras.optimizers.SGD(rate))
        model.fit(configs)
    for config in configs:
        net = keras.Sequential([keras.layers.Dense(1)])  # expect: DP204
        net.compile("sgd", "mse")
    for other in models:
        other.compile("sgd", "mse")
    for i in range(2):
        model.compile("sgd", "mse")
    for name in configs:
        print(K.function([model.input], [model.get_layer(name).output]))
    print(K.eval(model.output))


def with_new_graphs(configs):
    for config in configs:
        K.clear_session()
        model.compile("sgd", "mse")
