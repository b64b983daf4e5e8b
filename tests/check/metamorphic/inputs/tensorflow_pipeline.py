"""tf.data pipelines that are put together step by step."""
import tensorflow as tf
from tensorflow import keras

AUTOTUNE = tf.data.AUTOTUNE


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, [224, 224])


def augment(image):
    return tf.image.random_flip_left_right(image)


def scale(image):
    return image / 255.0


def pipeline(pattern, training, cache):
    ds = tf.data.Dataset.list_files(pattern)
    ds = ds.map(load)
    if cache:
        ds = ds.cache()
    if training:
        ds = ds.map(augment)
        ds = ds.batch(32)
        ds = ds.shuffle(1000)
    else:
        ds = ds.batch(32)
    return ds


def parallel(pattern, deterministic):
    calls = AUTOTUNE if not deterministic else 1
    ds = tf.data.Dataset.list_files(pattern).map(load, num_parallel_calls=AUTOTUNE)
    ds = ds.map(scale, num_parallel_calls=calls)
    return ds.batch(32).prefetch(AUTOTUNE)


def build(classes):
    activation = "sigmoid" if classes == 2 else "softmax"
    model = keras.Sequential([keras.layers.Conv2D(32, 3), keras.layers.BatchNormalization(), keras.layers.Flatten(),
                              keras.layers.Dense(classes, activation=activation)])
    model.compile("adam", "categorical_crossentropy")
    return model


def show(dataset):
    for image in dataset.take(1):
        print(image)


def main():
    model = build(10)
    train = pipeline("train/*", True, False)
    test = pipeline("test/*", False, True)
    show(train)
    model.fit(train, epochs=10, batch_size=32)
    model.evaluate(test)
    for image in test:
        print(model.predict(image))


main()
