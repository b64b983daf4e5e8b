import tensorflow as tf


def decode(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))


def augment(image):
    image = tf.image.random_flip_left_right(image)
    return tf.image.random_brightness(image, 0.1)


def inner(image):
    return augment(image) / 255.0


augmentation = tf.keras.Sequential([tf.keras.layers.RandomFlip("horizontal"), tf.keras.layers.Rescaling(1.0 / 255)])
rescale = tf.keras.layers.Rescaling(1.0 / 255)


def fires(paths):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(decode, num_parallel_calls=4)
    a = ds.map(augment, num_parallel_calls=4).cache()  # expect: DP105
    b = ds.map(inner, num_parallel_calls=4).batch(4).cache()  # expect: DP105
    c = ds.map(lambda x: augmentation(x, training=True), num_parallel_calls=4).cache()  # expect: DP105
    d = ds.shuffle(100).cache()  # expect: DP105
    e = ds.repeat().cache()  # expect: DP105
    f = ds.repeat(-1).cache()  # expect: DP105
    return a, b, c, d, e, f


def of_memory(x):
    return tf.data.Dataset.from_tensor_slices(x).cache().shuffle(10)  # hint: DP105


def silent(paths, x, other, n):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(decode, num_parallel_calls=4)
    a = ds.cache().map(augment, num_parallel_calls=4)
    b = ds.cache().shuffle(100)
    c = ds.cache().repeat()
    d = ds.map(lambda x: rescale(x), num_parallel_calls=4).cache()
    e = other.cache()
    f = ds.repeat(n).cache()
    g = ds.cache()
    h = ds.shuffle(100).take(10)
    i = ds.cache().shuffle(100).snapshot("dir")
    j = ds.repeat().take(1).cache().repeat()
    k = ds.shuffle(100).take(50).cache()
    m = ds.shuffle(100, reshuffle_each_iteration=False).cache()
    o = ds.shuffle(100).cache().shuffle(100)
    val_ds = ds.shuffle(100).batch(4).cache()
    return a, b, c, d, e, f, g, h, i, j, k, m, o, val_ds


def under_conditions(paths, training, cache):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(decode, num_parallel_calls=4)
    if training and not cache:
        ds = ds.repeat()
    if cache:
        ds = ds.cache().repeat()
    return ds


class Augment:
    def __init__(self, training):
        self.training = training

    def __call__(self, image):
        return tf.image.random_flip_left_right(image) if self.training else image


def told_otherwise(paths):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(decode, num_parallel_calls=4)
    return ds.map(Augment(False), num_parallel_calls=4).cache()


def one_batch_on_purpose(paths, fake, n):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(augment, num_parallel_calls=4).batch(8)
    if fake:
        ds = ds.take(1).cache().repeat()
    else:
        ds = ds.take(n).cache()  # expect: DP105
    return ds


def the_same_crops_to_validate(paths, model, train):
    validation = tf.data.Dataset.from_tensor_slices(paths).map(augment, num_parallel_calls=4)
    model.fit(train, validation_data=validation.cache())
