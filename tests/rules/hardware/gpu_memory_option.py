import tensorflow as tf
import tensorflow.compat.v1 as tf1


def unused_config():
    config = tf1.ConfigProto()
    config.gpu_options.allow_growth = True  # expect: DP504
    return tf1.Session()


def unused_options():
    options = tf1.GPUOptions(per_process_gpu_memory_fraction=0.5)  # expect: DP504
    return tf1.Session()


def too_late():
    x = tf.zeros((3, 3))
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)  # expect: DP504
    return x


def used():
    config = tf1.ConfigProto()
    config.gpu_options.allow_growth = True
    return tf1.Session(config=config)


def used_options():
    options = tf1.GPUOptions(per_process_gpu_memory_fraction=0.5)
    return tf1.Session(config=tf1.ConfigProto(gpu_options=options))


def returned():
    config = tf1.ConfigProto()
    config.gpu_options.allow_growth = True
    return config


def given(config):
    config.gpu_options.allow_growth = True
    return tf1.Session(config=config)


def of_an_attribute(self):
    self.config.gpu_options.allow_growth = True


def changes_what_it_gets(config):
    config.gpu_options.allow_growth = True


def in_time():
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)
    return tf.zeros((3, 3))
