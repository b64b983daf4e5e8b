"""A loader gives single examples to everybody; one of its callers batches them."""
import tensorflow as tf


def parse(record):
    fields = tf.io.parse_example(record, {"pixels": tf.io.FixedLenFeature((28, 28), tf.float32)})
    return {"pixels": tf.cast(fields["pixels"], tf.float32)}


def read_singly(files):
    return tf.data.TFRecordDataset(files).map(parse, num_parallel_calls=4)  # hint: DP102


def read_in_batches(files):
    return tf.data.TFRecordDataset(files).map(parse, num_parallel_calls=4)  # expect: DP102
