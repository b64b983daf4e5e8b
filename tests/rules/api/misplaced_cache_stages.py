import tensorflow as tf

AUTOTUNE = tf.data.AUTOTUNE


def view(image):
    return tf.image.random_flip_left_right(tf.image.random_crop(image, [96, 96, 3]))


def scale(image):
    return tf.cast(image, tf.float32) / 255.0


def augment(ds: tf.data.Dataset) -> tf.data.Dataset:
    return ds.map(view, num_parallel_calls=AUTOTUNE)


def keep(ds: tf.data.Dataset) -> tf.data.Dataset:
    return ds.cache()


def normalize(ds: tf.data.Dataset) -> tf.data.Dataset:
    return ds.map(scale, num_parallel_calls=AUTOTUNE)


class Input:
    def __init__(self, training):
        self.training = training

    def augment(self, ds: tf.data.Dataset) -> tf.data.Dataset:
        return ds.map(lambda image: view(image), num_parallel_calls=AUTOTUNE)

    def cache(self, ds: tf.data.Dataset) -> tf.data.Dataset:
        return ds.cache()

    def build(self, ds: tf.data.Dataset):
        if self.training:
            stages = [self.augment, self.cache]  # expect: DP105
        else:
            stages = [self.cache]
        for stage in stages:
            ds = ds.apply(stage)
        return ds.batch(8).prefetch(AUTOTUNE)

    def build_right(self, ds: tf.data.Dataset):
        stages = [self.cache, self.augment]
        for stage in stages:
            ds = ds.apply(stage)
        return ds.batch(8).prefetch(AUTOTUNE)


def called(ds: tf.data.Dataset):
    for stage in (normalize, augment, keep):  # expect: DP105
        ds = stage(ds)
    return ds.batch(8).prefetch(AUTOTUNE)


def called_right(ds: tf.data.Dataset):
    for stage in (normalize, keep, augment):
        ds = stage(ds)
    return ds.batch(8).prefetch(AUTOTUNE)


def not_random(ds: tf.data.Dataset):
    for stage in [normalize, keep]:
        ds = stage(ds)
    return ds.batch(8).prefetch(AUTOTUNE)


def changed(ds: tf.data.Dataset):
    stages = [augment, keep]
    stages.reverse()
    for stage in stages:
        ds = stage(ds)
    return ds.batch(8).prefetch(AUTOTUNE)


def listed(names):
    for stage in [augment, keep]:
        print(stage.__name__, names)
