"""What counts as work in a mapped function, and how many elements there are to do it for."""
import functools
import logging

import matplotlib.pyplot as plt
import tensorflow as tf
from other_package import augment, tokenizer
from tensorflow.contrib.data import Dataset as OldDataset

LABEL = "price"
SAMPLE = 4


def take_label(row):
    for unwanted in ["id", "comment"]:
        row.pop(unwanted)
    label = row.pop(LABEL)
    logging.info("columns: %s", list(row.keys()))
    return row, label


def take_and_cast(row):
    label = tf.squeeze(row.pop("label"), axis=-1)
    weight = row.get("weight")
    row.update({"both": row["a"]})
    return row, tf.cast(label, tf.float32), weight


def fix_shapes(batch_size, images, labels):
    images.set_shape(images.get_shape().merge_with(tf.TensorShape([batch_size, None, None, 3])))
    labels.set_shape(labels.get_shape().merge_with(tf.TensorShape([batch_size])))
    return images, labels


def with_print(x, y):
    print("traced with", x.shape, y.shape)
    return tf.reshape(tf.cast(x, tf.float32) / 255.0, [-1, 784]), tf.one_hot(y, depth=10)


def distance(row):
    row["distance"] = tf.sqrt((row["x1"] - row["x2"]) ** 2 + (row["y1"] - row["y2"]) ** 2)
    return row


def bell(row):
    row["bell"] = tf.exp(-tf.math.log(tf.sqrt(row["x"])))
    return row


class Pack:
    def __init__(self, names):
        self.names = names

    def __call__(self, features, label):
        parts = [tf.cast(features.pop(name), tf.float32) for name in self.names]
        features["numbers"] = tf.stack(parts, axis=-1)
        return features, label


class Decode:
    def __call__(self, record):
        return tf.io.decode_jpeg(record)


def no_work(pattern, batch_size):
    ds = tf.data.experimental.make_csv_dataset(pattern, batch_size)
    a = ds.map(take_label)  # hint: DP101
    b = ds.map(take_and_cast)  # hint: DP101
    c = ds.map(functools.partial(fix_shapes, batch_size))  # hint: DP101
    d = ds.map(with_print)  # hint: DP101
    e = ds.map(lambda x: tf.image.convert_image_dtype(x, tf.float32))  # hint: DP101
    f = ds.map(distance)  # hint: DP101
    g = ds.map(Pack(["a", "b"]))  # hint: DP101
    return a, b, c, d, e, f, g


def work(records, images, function):
    ds = tf.data.TFRecordDataset(records)
    a = ds.map(bell)  # expect: DP101
    b = ds.map(Decode())  # expect: DP101
    c = ds.map(lambda x: augment(x))  # expect: DP101
    d = ds.map(lambda x: tokenizer.encode(x))  # expect: DP101
    e = ds.map(function)  # expect: DP101
    f = images.map(lambda x, y: (tf.image.rot90(x), y)).prefetch(1)  # expect: DP101
    return a, b, c, d, e, f


def exercise(pattern):
    ds = tf.data.experimental.make_csv_dataset(pattern, 32)
    ds = ds.map()
    return ds


def decode(record):
    return tf.io.decode_jpeg(record)


def parallel_by_older_names(files):
    a = OldDataset.from_tensor_slices(files).map(decode, num_threads=8, output_buffer_size=100)
    ds = tf.data.TFRecordDataset(files)
    b = ds.apply(tf.contrib.data.map_and_batch(decode, batch_size=32, num_parallel_batches=None))
    c = ds.apply(tf.contrib.data.map_and_batch(decode, batch_size=32, num_parallel_batches=1))
    d = ds.apply(tf.contrib.data.map_and_batch(decode, batch_size=32, num_parallel_calls=1))  # expect: DP101
    return a, b, c, d


def few_are_taken(files, n, model):
    ds = tf.data.TFRecordDataset(files)
    model.fit(ds.take(5).repeat(2).map(decode))  # hint: DP101
    model.fit(ds.take(SAMPLE).map(decode))  # hint: DP101
    model.fit(ds.take(5).repeat().map(decode))  # expect: DP101
    model.fit(ds.take(5).repeat(1000).map(decode))  # expect: DP101
    model.fit(ds.take(n).map(decode).prefetch(1))  # expect: DP101
    model.fit(ds.take(5000).map(decode))  # expect: DP101


def looked_at(files, model):
    ds = tf.data.TFRecordDataset(files)
    drawn = ds.map(decode)  # hint: DP101
    for image in drawn:
        plt.imshow(image)
        plt.show()
    printed = ds.map(decode)  # hint: DP101
    for image in printed:
        print(image)
    trained = ds.map(decode)  # expect: DP101
    for step, image in enumerate(trained):
        model.train_on_batch(image)
        if step % 100 == 0:
            plt.show()


shown = tf.data.TFRecordDataset("x").map(decode)  # hint: DP101
print(next(iter(shown)))


def other_of_the_same_name(files):
    shown = tf.data.TFRecordDataset(files)
    return shown


def reads_on(topic, stream):
    numbers = tf.data.experimental.Counter()
    return numbers.map(lambda i: stream.read_next(topic, i)).prefetch(1)  # hint: DP101


def wraps_only(pairs: tf.data.Dataset):
    return pairs.map(lambda i, v: tf.SparseTensor(i, v, (5, 20))).prefetch(1)  # hint: DP101


def takes_apart(arrays: tf.data.Dataset, files: tf.data.Dataset):
    rows = arrays.interleave(lambda *x: tf.data.Dataset.from_tensor_slices(x), cycle_length=4)  # hint: DP101
    lines = files.interleave(tf.data.TextLineDataset, cycle_length=4)  # expect: DP101
    old = files.apply(tf.contrib.data.sloppy_interleave(tf.data.TFRecordDataset, cycle_length=4))
    return rows, lines, old


def double(row):
    return row * 2


def by_vectors(rows: tf.data.Dataset):
    cheap = rows.batch(100).map(lambda x: tf.vectorized_map(double, x)).unbatch()  # hint: DP101
    return cheap, rows.batch(100).map(lambda x: tf.vectorized_map(decode, x)).unbatch()  # expect: DP101


def packed(image):
    return tf.train.Example(features=tf.io.serialize_tensor(image)).SerializeToString()


def serialised(images: tf.data.Dataset):
    return images.map(lambda x: tf.py_function(packed, (x,), tf.string)).prefetch(1)  # hint: DP101, DP107


def prepared(image, training=True, size=None):
    if training:
        image = tf.image.random_flip_left_right(image)
    if size is not None:
        image = tf.image.resize(image, size)
    return tf.cast(image, tf.float32) / 255.0


def settled_by_arguments(images: tf.data.Dataset, size):
    cheap = images.map(lambda x: prepared(x, training=False))  # hint: DP101
    costly = images.map(lambda x: prepared(x, training=True))  # expect: DP101
    by_default = images.map(prepared)  # expect: DP101
    sized = images.map(lambda x: prepared(x, False, size))  # expect: DP101
    partly = images.map(functools.partial(prepared, size=size))  # expect: DP101
    both = images.map(lambda x: (prepared(x, False), prepared(x, True)))  # expect: DP101
    return cheap, costly, by_default, sized, partly, both


def cut_sometimes(rows: tf.data.Dataset, most):
    def cut(row):
        return tf.cond(tf.size(row) < most, lambda: row, lambda: row[:most])

    def decoded(row):
        return tf.cond(tf.size(row) < most, lambda: row, lambda: decode(row))

    cheap = rows.map(cut)  # hint: DP101
    return cheap, rows.map(decoded)  # expect: DP101


def taken_out(records: tf.data.Dataset):
    kept = records.map(decode)  # num_parallel_calls=8  # hint: DP101
    return kept, records.map(  # hint: DP101
        decode,
        # num_parallel_calls=8,
    ).prefetch(1)


def loaded(path, label=None):
    if label is not None:
        path = tf.image.resize(decode(tf.io.read_file(path)), [224, 224])
    return path, label


def scaled(image, label, size=None):
    if size is not None:
        image = tf.image.resize(image, size)
    return image / 255.0, label


def element_may_fill_it(pairs: tf.data.Dataset):
    both = pairs.map(loaded)  # expect: DP101
    return both, pairs.map(scaled)  # hint: DP101


def one_of_two_taken_out(records: tf.data.Dataset):
    return (records.map(decode)  # num_parallel_calls=8  # hint: DP101
            .shuffle(10)
            .map(decode))  # expect: DP101


def to_do(records: tf.data.Dataset):
    return records.map(decode)  # TODO num_parallel_calls  # expect: DP101
