"""Functions that a mapped function calls, with numbers from outside, and records that are parsed one by one."""
import tensorflow as tf

COLUMNS = ["age", "income"]


def one_hot(label, classes):
    return tf.one_hot(label, classes)


def labelled(image, label):
    return image / 255.0, label


def scaled(image, mean, deviation=1.0):
    return (image - mean) / deviation


def pairs(images, labels, classes):
    ds = tf.data.Dataset.from_tensor_slices((images, labels))
    ds = ds.map(lambda image, label: (image, one_hot(label, classes)), num_parallel_calls=5)  # expect: DP102
    return ds.batch(32)


def by_keyword(images, mean):
    ds = tf.data.Dataset.from_tensor_slices(images)
    return ds.map(lambda image: scaled(image, mean=mean, deviation=2.0), num_parallel_calls=5).batch(32)  # expect: DP102


def gives_the_number_itself(images):
    ds = tf.data.Dataset.from_tensor_slices(images)
    return ds.map(lambda image: labelled(image, 1), num_parallel_calls=5).batch(32)


def with_two_numbers(images, labels):
    ds = tf.data.Dataset.from_tensor_slices((images, labels))
    return ds.map(lambda image, label: (one_hot(label, 10), one_hot(label, 20)), num_parallel_calls=5).batch(32)


def hidden(images, options):
    ds = tf.data.Dataset.from_tensor_slices(images)
    return ds.map(lambda image: scaled(image, **options), num_parallel_calls=5).batch(32)


def parse_line(line):
    tf.logging.info("parsing {}".format(COLUMNS))
    columns = tf.io.decode_csv(line, record_defaults=[[0.0], [""]])
    features = dict(zip(COLUMNS, columns))
    return features, tf.equal(features.pop("income"), ">50K")


def lines(path):
    return tf.data.TextLineDataset(path).map(parse_line, num_parallel_calls=5).repeat(3).batch(32)  # expect: DP102


def parse_record(record):
    fields = tf.io.parse_single_example(record, {"age": tf.io.FixedLenFeature([], tf.float32)})
    return tf.sqrt(fields["age"])


def records(path):
    return tf.data.TFRecordDataset(path).map(parse_record, num_parallel_calls=5).batch(32)  # hint: DP102


def parse_image(record):
    fields = tf.io.parse_example(record, {"image": tf.io.FixedLenFeature([], tf.string)})
    return tf.io.decode_jpeg(fields["image"])


def images(path):
    return tf.data.TFRecordDataset(path).map(parse_image, num_parallel_calls=5).batch(32)


def by_ones(path, size=1):
    return tf.data.TextLineDataset(path).map(parse_line, num_parallel_calls=5).batch(size)


def by_more(path, size=1):
    return tf.data.TextLineDataset(path).map(parse_line, num_parallel_calls=5).batch(size)  # expect: DP102


def dropping_the_rest(path):
    lines = tf.data.TextLineDataset(path).map(parse_line, num_parallel_calls=5)  # expect: DP102
    return lines.apply(tf.contrib.data.batch_and_drop_remainder(32))


def tried_out(images):
    ds = tf.data.Dataset.from_tensor_slices(images).map(lambda x: x / 255.0, num_parallel_calls=5).batch(32)  # hint: DP102
    print(next(iter(ds)))


by_ones("x", 1)
by_ones("y")
by_more("z", 32)


def by_settings(path, size=1):
    return tf.data.TextLineDataset(path).map(parse_line, num_parallel_calls=5).batch(size)  # expect: DP102


def by_replicas(path, size=1):
    size = size * tf.distribute.get_strategy().num_replicas_in_sync
    return tf.data.TextLineDataset(path).map(parse_line, num_parallel_calls=5).batch(size)  # expect: DP102


def sparse_values(path):
    def values(record):
        fields = tf.io.parse_single_example(record, {"a": tf.io.VarLenFeature(tf.int64)})
        return tf.cast(fields["a"].values, tf.float32)

    return tf.data.TFRecordDataset(path).map(values, num_parallel_calls=5).batch(8)


by_settings("x", **{"size": 32})
by_replicas("x")
