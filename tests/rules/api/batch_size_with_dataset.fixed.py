import tensorflow as tf
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(1)])


def fires(x, y, other, args):
    ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
    model.fit(ds, epochs=2)  # expect: DP114
    model.evaluate(ds.take(3))  # expect: DP114
    other.predict(x=ds, batch_size=8)  # expect: DP114


def silent(x, y, args):
    ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
    model.fit(ds, epochs=2)
    model.fit(x, y, batch_size=8)
    model.fit(ds, batch_size=None)
    model.predict(x, batch_size=8)
    batch = next(iter(ds))
    model.predict(batch, batch_size=8)
    train(ds, batch_size=8)


def train(ds, batch_size):
    return ds, batch_size
