import numpy as np
import tensorflow as tf

FRAMES, BANDS = 98, 64
VOCABULARY = {"yes": 1, "no": 2}


def blank(spectrum, axis_length):
    width = np.random.randint(0, 10)
    start = np.random.randint(0, axis_length - width)
    spectrum[start : start + width] = 0.0
    return spectrum


def mask(spectrum):
    spectrum = spectrum.copy()
    spectrum = blank(spectrum, FRAMES)
    return np.clip((spectrum - spectrum.mean()) / spectrum.std(), -3.0, 3.0)


def mixed(spectrum):
    return np.interp(np.arange(10), np.arange(len(spectrum)), spectrum)


def looked_up(word):
    return np.array(VOCABULARY[word.decode()])


def until(spectrum):
    while np.max(spectrum) > 1.0:
        spectrum = spectrum * 0.5
    return spectrum


def augment(spectrum, label):
    spectrum = tf.numpy_function(mask, [spectrum], tf.float32)
    return tf.ensure_shape(spectrum, [FRAMES, BANDS]), label


def pipeline(spectra, labels, words):
    a = tf.data.Dataset.from_tensor_slices((spectra, labels)).map(augment, num_parallel_calls=4)  # expect: DP107
    b = tf.data.Dataset.from_tensor_slices(spectra).map(  # hint: DP107
        lambda s: tf.numpy_function(mixed, [s], tf.float32), num_parallel_calls=4
    )
    c = tf.data.Dataset.from_tensor_slices(words).map(  # hint: DP107
        lambda w: tf.numpy_function(looked_up, [w], tf.int64), num_parallel_calls=4
    )
    d = tf.data.Dataset.from_tensor_slices(spectra).map(  # hint: DP107
        lambda s: tf.numpy_function(until, [s], tf.float32), num_parallel_calls=4
    )
    return a, b, c, d
