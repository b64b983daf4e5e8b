import tensorflow as tf

AUTOTUNE = tf.data.AUTOTUNE


def decode(path):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), [224, 224])


def augment(image):
    return tf.image.random_flip_left_right(image)


def center(image):
    return tf.image.central_crop(image, 0.9)


def apply_all(ds, *functions):
    for function in functions:
        ds = ds.map(function, num_parallel_calls=AUTOTUNE)
    return ds


def apply_one(ds, function):
    return ds.map(function, num_parallel_calls=AUTOTUNE)


class Pipeline:
    def chain(self, ds, functions):
        for function in functions:
            ds = ds.map(function, num_parallel_calls=AUTOTUNE)
        return ds


def load(files, training):
    ds = tf.data.Dataset.from_tensor_slices(files)
    if training:
        ds = apply_all(ds, decode, augment).cache()  # expect: DP105
    else:
        ds = apply_all(ds, decode, center).cache()
    return ds.batch(32).prefetch(AUTOTUNE)


def load_well(files):
    ds = apply_all(tf.data.Dataset.from_tensor_slices(files), decode).cache()
    return apply_all(ds.shuffle(1000), augment).batch(32).prefetch(AUTOTUNE)


def load_one(files):
    ds = apply_one(apply_one(tf.data.Dataset.from_tensor_slices(files), decode), augment)
    return ds.cache().batch(32).prefetch(AUTOTUNE)  # expect: DP105


def load_one_center(files):
    ds = apply_one(apply_one(tf.data.Dataset.from_tensor_slices(files), decode), center)
    return ds.cache().shuffle(1000).batch(32).prefetch(AUTOTUNE)


def load_list(files):
    ds = Pipeline().chain(tf.data.Dataset.from_tensor_slices(files), [decode, augment])
    return ds.cache().batch(32).prefetch(AUTOTUNE)  # expect: DP105


def load_list_center(files):
    ds = Pipeline().chain(tf.data.Dataset.from_tensor_slices(files), [decode, center])
    return ds.cache().shuffle(1000).batch(32).prefetch(AUTOTUNE)
