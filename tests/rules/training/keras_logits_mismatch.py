import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.layers import Dense

loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
probability_loss = keras.losses.BinaryCrossentropy()


def sequential_logits():
    model = keras.Sequential([layers.Flatten(), layers.Dense(10)])
    model.compile("adam", loss="sparse_categorical_crossentropy")  # expect: DP820
    return model


def sequential_added():
    model = keras.models.Sequential()
    model.add(Dense(32, activation="relu"))
    model.add(Dense(1, activation="sigmoid"))
    model.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))  # expect: DP820


def activation_layer():
    model = keras.Sequential([Dense(10), layers.Activation("softmax")])
    model.compile("adam", loss=loss_object)  # expect: DP820


def functional(inputs):
    x = Dense(32, activation="relu")(inputs)
    x = Dense(10, activation=tf.nn.softmax)(x)
    model = keras.Model(inputs=inputs, outputs=x)
    model.compile(optimizer="adam", loss=loss_object)  # expect: DP820


def functional_linear(inputs):
    x = Dense(32, activation="relu")(inputs)
    x = Dense(1)(x)
    model = keras.Model(inputs, x)
    model.compile(optimizer="adam", loss="binary_crossentropy")  # expect: DP820
    model.compile(optimizer="adam", loss=keras.losses.binary_crossentropy)  # expect: DP820


def build():
    return keras.Sequential([Dense(10, activation="softmax")])


def custom_loop(data):
    model = build()
    for x, y in data:
        with tf.GradientTape() as tape:
            predictions = model(x)
            loss = loss_object(y, predictions)  # expect: DP820
        tape.gradient(loss, model.trainable_variables)


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = Dense(32, activation="relu")
        self.out = Dense(1)

    def call(self, x):
        return self.out(self.hidden(x))


def subclassed():
    model = Net()
    model.compile("adam", loss="binary_crossentropy")  # expect: DP820


def plain_functions(x, y):
    p = tf.nn.softmax(tf.matmul(x, x))
    a = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=p)  # expect: DP820
    logits = tf.compat.v1.layers.dense(x, 10)
    b = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits)
    c = keras.losses.categorical_crossentropy(y, p)
    d = keras.losses.categorical_crossentropy(y, p, from_logits=True)  # expect: DP820
    return a, b, c, d


def silent(inputs, activation, loss, flag, units):
    a = keras.Sequential([Dense(10)])
    a.compile("adam", loss=loss_object)
    b = keras.Sequential([Dense(10, activation="softmax")])
    b.compile("adam", loss="sparse_categorical_crossentropy")
    c = keras.Sequential([Dense(10, activation=activation)])
    c.compile("adam", loss=loss_object)
    c.compile("adam", loss="categorical_crossentropy")
    d = keras.Sequential([Dense(1)])
    d.compile("adam", loss="mse")
    d.compile("adam", loss=loss)
    e = keras.Sequential([Dense(10), layers.Softmax()])
    e.compile("adam", loss="sparse_categorical_crossentropy")
    f = keras.Sequential()
    f.add(Dense(10))
    if flag:
        f.add(layers.Activation("softmax"))
    f.compile("adam", loss="categorical_crossentropy")
    g = keras.Sequential([Dense(10)])
    g.compile("adam", loss=keras.losses.CategoricalCrossentropy(from_logits=flag))
    h = keras.Sequential([Dense(10, activation="softmax")])
    h.pop()
    h.compile("adam", loss=loss_object)
    i = keras.Model(inputs, [Dense(1)(inputs), Dense(2)(inputs)])
    i.compile("adam", loss="binary_crossentropy")
    j = keras.Sequential([Dense(10, activation="softmax"), layers.Lambda(tf.math.log)])
    j.compile("adam", loss=loss_object)
    k = keras.Model(inputs, layers.Activation("linear", dtype="float32")(Dense(10, activation="softmax")(inputs)))
    k.compile("adam", loss="sparse_categorical_crossentropy")
    l = keras.Sequential([Dense(10, activation="softmax"), layers.Activation("linear", dtype="float32")])
    l.compile("adam", loss="sparse_categorical_crossentropy")
    return a, b, c, d, e, f, g, h, i, j, k, l
