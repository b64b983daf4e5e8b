import tensorflow as tf


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, [96, 96])


def appended(paths):
    images = []
    for path in paths:
        images.append(load(path))  # expect: DP122
    return tf.stack(images)


def named(paths):
    images = []
    for path in paths:
        image = tf.io.decode_png(tf.io.read_file(path))  # expect: DP122
        images.append(image)
    return tf.stack(images)


def comprehended(paths):
    return tf.stack([load(path) for path in paths])  # expect: DP122


def silent(paths, parts, data):
    images = []
    for path in paths:
        images.append(load(path))
    decoded = []
    for part in parts:
        decoded.append(tf.io.decode_image(data[part]))
    few = []
    for path in ["a.jpg", "b.jpg"]:
        few.append(load(path))
    ds = tf.data.Dataset.from_tensor_slices(paths).map(load, num_parallel_calls=4).batch(8).prefetch(1)
    return images, tf.concat(decoded, -1), tf.stack(few), ds
