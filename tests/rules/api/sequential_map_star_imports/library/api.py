import tensorflow as tf

from .sources import _records, hidden, images

__all__ = ["_records"]
__all__ += ["images"]


def main(paths):
    return hidden(paths).map(lambda x: tf.io.decode_jpeg(tf.io.read_file(x)))  # expect: DP101
