from tensorflow import keras
from tensorflow.keras import layers


def prepare(images):
    return images.astype("float32") / 255.0  # expect: DP981


def load():
    (x, y), (tx, ty) = keras.datasets.cifar10.load_data()
    return (prepare(x), y), (tx.astype("float32"), ty)


def build():
    inputs = keras.Input((32, 32, 3))
    x = layers.Lambda(keras.applications.mobilenet_v2.preprocess_input)(inputs)
    x = keras.applications.MobileNetV2(include_top=False, input_shape=(32, 32, 3), pooling="avg")(x)
    return keras.Model(inputs, layers.Dense(10)(x))


def build_other():
    inputs = keras.Input((32, 32, 3))
    x = layers.Lambda(keras.applications.mobilenet_v2.preprocess_input)(inputs)
    x = keras.applications.MobileNetV2(include_top=False, input_shape=(32, 32, 3), pooling="avg")(x)
    return keras.Model(inputs, layers.Dense(10)(x))


def main():
    (x, y), (tx, ty) = load()
    model = build()
    model.compile(optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(x, y, epochs=5, batch_size=64)
    other = build_other()
    other.compile(optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    other.fit(tx, ty, epochs=5, batch_size=64)
