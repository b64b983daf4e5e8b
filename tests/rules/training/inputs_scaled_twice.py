import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.applications import efficientnet, resnet50

AUTOTUNE = tf.data.AUTOTUNE


def read(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, [224, 224])


def scale(image):
    return image / 255.0  # expect: DP981


def by_helper(path, label):
    return resnet50.preprocess_input(scale(read(path))), label


def scaled_down(path, label):
    return read(path) * (1.0 / 255), label  # expect: DP981


def prepare(image, label):
    return keras.applications.vgg16.preprocess_input(image), label


def two_maps(paths, labels):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    ds = ds.map(scaled_down, num_parallel_calls=AUTOTUNE).map(prepare, num_parallel_calls=AUTOTUNE)
    return ds.batch(32).prefetch(AUTOTUNE)


def one_map(paths, labels):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    return ds.map(by_helper, num_parallel_calls=AUTOTUNE).batch(32).prefetch(AUTOTUNE)


def pixels(path, label):
    return resnet50.preprocess_input(read(path)), label


def restored(path, label):
    image = tf.cast(read(path), tf.float32) / 255.0
    image = tf.image.adjust_gamma(image, 0.9)
    return resnet50.preprocess_input(image * 255.0), label


def ignored(path, label):
    return efficientnet.preprocess_input(read(path) / 255.0), label


class Pictures:
    def _small(self, path, label):
        return read(path) / 127.5 - 1.0, label  # expect: DP981

    def _plain(self, path, label):
        return read(path), label

    def train(self, paths, labels):
        ds = tf.data.Dataset.from_tensor_slices((paths, labels))
        return ds.map(self._small, num_parallel_calls=AUTOTUNE).batch(32).prefetch(AUTOTUNE)

    def plain(self, paths, labels):
        ds = tf.data.Dataset.from_tensor_slices((paths, labels))
        return ds.map(self._plain, num_parallel_calls=AUTOTUNE).batch(32).prefetch(AUTOTUNE)


def build():
    inputs = keras.Input((224, 224, 3))
    x = keras.layers.RandomFlip("horizontal")(inputs)
    x = resnet50.preprocess_input(x)
    x = resnet50.ResNet50(include_top=False, pooling="avg")(x)
    model = keras.Model(inputs, keras.layers.Dense(10)(x))
    model.compile(optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def build_other():
    inputs = keras.Input((224, 224, 3))
    x = resnet50.ResNet50(include_top=False, pooling="avg")(resnet50.preprocess_input(inputs))
    model = keras.Model(inputs, keras.layers.Dense(10)(x))
    model.compile(optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def main(paths, labels):
    model = build()
    model.fit(Pictures().train(paths, labels), epochs=10)
    other = build_other()
    other.fit(Pictures().plain(paths, labels), epochs=10)
