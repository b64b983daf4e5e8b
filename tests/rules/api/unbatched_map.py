import functools

import tensorflow as tf
import tensorflow_datasets as tfds

AUTO = tf.data.AUTOTUNE


def scale(x):
    return tf.cast(x, tf.float32) / 255.0


def scale_pair(x, y):
    return tf.cast(x, tf.float32) / 255.0, tf.one_hot(y, 10)


def features(x):
    return {"image": tf.cast(x["image"], tf.float32), "label": x["label"]}


def decode(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))


def helper(x):
    return scale(x)


def vectorisable(x, y):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    a = ds.map(scale, num_parallel_calls=AUTO).batch(32)  # expect: DP102
    b = ds.map(scale_pair, num_parallel_calls=AUTO).shuffle(100).repeat().batch(32)  # expect: DP102
    c = ds.map(lambda v: tf.math.sqrt(v), num_parallel_calls=AUTO).shuffle(90).batch(32).prefetch(1)  # expect: DP102
    d = ds.map(features, num_parallel_calls=AUTO).batch(32)  # expect: DP102
    e = ds.map(helper, num_parallel_calls=AUTO).batch(32)  # expect: DP102
    f = ds.map(functools.partial(scale), num_parallel_calls=AUTO).batch(batch_size=32)  # expect: DP102
    return a, b, c, d, e, f


def batched_first(x):
    ds = tf.data.Dataset.from_tensor_slices(x).batch(32)
    return ds.map(scale, num_parallel_calls=AUTO)


def per_example(ds: tf.data.Dataset):
    a = ds.map(decode, num_parallel_calls=AUTO).batch(32)
    b = ds.map(lambda x: tf.image.random_crop(x, [8, 8, 3]), num_parallel_calls=AUTO).batch(32)
    c = ds.map(lambda x: tf.image.random_flip_left_right(x), num_parallel_calls=AUTO).batch(32)
    d = ds.map(lambda x: tf.reshape(x, [28, 28, 1]), num_parallel_calls=AUTO).batch(32)
    e = ds.map(lambda x: tf.py_function(print, [x], tf.float32), num_parallel_calls=AUTO).batch(32)  # hint: DP107
    f = ds.map(lambda x: tf.reduce_sum(x), num_parallel_calls=AUTO).batch(32)
    g = ds.map(lambda x: x[0], num_parallel_calls=AUTO).batch(32)
    h = ds.map(lambda x: unknown(x), num_parallel_calls=AUTO).batch(32)
    i = ds.map(lambda x: tf.transpose(x), num_parallel_calls=AUTO).batch(32)
    j = ds.map(lambda x: tf.image.resize(x, (224, 224)), num_parallel_calls=AUTO).batch(32)
    k = ds.map(lambda x: [tf.cast(x, tf.float32)], num_parallel_calls=AUTO).batch(32)
    m = ds.map(lambda x: tf.one_hot(x, 10, axis=0), num_parallel_calls=AUTO).batch(32)
    n = ds.map(lambda x: tf.where(x > 0), num_parallel_calls=AUTO).batch(32)
    o = ds.map(lambda x, y: tf.cast(x, tf.float32) * y, num_parallel_calls=AUTO).batch(32)
    p = ds.map(assert_shape, num_parallel_calls=AUTO).batch(32)
    return a, b, c, d, e, f, g, h, i, j, k, m, n, o, p


def assert_shape(x):
    x = tf.one_hot(x, 10)
    x.set_shape((None, 10))
    return x


def in_place(x):
    x /= 255.0
    return x


def augmented(ds: tf.data.Dataset):
    return ds.map(in_place, num_parallel_calls=AUTO).batch(32)  # expect: DP102


def cached(ds: tf.data.Dataset):
    return ds.map(scale, num_parallel_calls=AUTO).cache().batch(32)


def other_orders(ds: tf.data.Dataset):
    a = ds.map(scale, num_parallel_calls=AUTO).batch(1)
    b = ds.map(scale, num_parallel_calls=AUTO).padded_batch(32)
    c = ds.map(scale, num_parallel_calls=AUTO).filter(lambda x: x > 0).batch(32)
    d = ds.map(scale, num_parallel_calls=AUTO).window(5).flat_map(lambda w: w.batch(5))
    e = ds.map(lambda x, y: (y, x), num_parallel_calls=AUTO).batch(32)
    f = ds.map(scale, num_parallel_calls=AUTO).unbatch().batch(32)
    return a, b, c, d, e, f


def parse_one(record):
    return tf.io.parse_single_example(record, {"x": tf.io.FixedLenFeature([], tf.float32)})


def records(files):
    ds = tf.data.TFRecordDataset(files)
    return ds.map(parse_one, num_parallel_calls=AUTO).batch(32)  # hint: DP102


def branches(ds: tf.data.Dataset, training):
    if training:
        ds = ds.map(scale, num_parallel_calls=AUTO)
    else:
        ds = ds.batch(32)
    return ds


class LaterThanItsUse:
    def use(self):
        return self.d0.batch(32)

    def setup(self, x):
        other = tf.data.Dataset.from_tensor_slices(x)
        other = other.map(scale, num_parallel_calls=4)
        self.d0 = tf.data.Dataset.range(100)
        return other


def last_dimension(x):
    return tf.expand_dims(tf.cast(x, tf.float32), axis=-1)


def first_dimension(x):
    return tf.expand_dims(tf.cast(x, tf.float32), axis=0)


vectorize = tf.keras.layers.TextVectorization()


def more_that_take_batches(x, texts):
    a = tf.data.Dataset.from_tensor_slices(x).map(last_dimension, num_parallel_calls=AUTO).batch(32)  # expect: DP102
    b = tf.data.Dataset.from_tensor_slices(x).map(first_dimension, num_parallel_calls=AUTO).batch(32)
    c = tf.data.Dataset.from_tensor_slices(texts).map(lambda t: vectorize(t), num_parallel_calls=AUTO)  # expect: DP102
    return a, b, c.batch(32)


def label(x, index):
    return x, tf.cast(index, tf.int64)


def not_of_the_element(paths):
    out = []
    for i, path in enumerate(paths):
        lines = tf.data.TextLineDataset(path)
        out.append(lines.map(lambda x: label(x, i), num_parallel_calls=AUTO).batch(32))
    return out


def batch_of_one(record, spec):
    return tf.io.parse_example(record[tf.newaxis], spec)["x"][0]


def parses_either(record, spec, batched):
    if batched:
        return tf.io.parse_example(record, spec)
    return tf.io.parse_single_example(record, spec)


def written_for_one(paths, spec):
    ds = tf.data.TFRecordDataset(paths)
    a = ds.map(lambda r: batch_of_one(r, spec), num_parallel_calls=AUTO).batch(8)
    b = ds.map(lambda r: parses_either(r, spec, False), num_parallel_calls=AUTO).batch(8)  # hint: DP102
    return a, b


def records(name):
    a = tfds.load("mnist", split="train").map(features, num_parallel_calls=AUTO).batch(32)  # expect: DP102
    b = tfds.load("coco", split="train").map(features, num_parallel_calls=AUTO).batch(32)  # hint: DP102
    return a, b


def fused(ds: tf.data.Dataset):
    return ds.apply(tf.data.experimental.map_and_batch(scale, 32))  # expect: DP102  # hint: DP302


def toy():
    return tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(scale, num_parallel_calls=AUTO).batch(2)


COLUMNS = ["a", "b", "price"]
LABEL = "price"
IMAGE = "image"


def decode_line(line):
    columns = tf.io.decode_csv(line, [[0.0], [0.0], [0.0]])
    features = dict(zip(COLUMNS, columns))
    return features, features.pop(LABEL)


def decode_by_place(line):
    columns = tf.io.decode_csv(line, record_defaults=[[0.0], [0.0], [0.0]])
    return {"a": columns[0], "b": columns[1]}, columns[2]


def decode_to_one_tensor(line):
    columns = tf.io.decode_csv(line, [[0.0], [0.0], [0.0]])
    return columns[:-1], columns[-1]


def decode_to_list(line):
    columns = tf.io.decode_csv(line, [[0.0], [0.0], [0.0]])
    return columns, 0


def decode_and_read(line):
    path, label = tf.io.decode_csv(line, [[""], [0]])
    return tf.io.read_file(path), label


def tables(files):
    lines = tf.data.TextLineDataset(files)
    a = lines.map(decode_line, num_parallel_calls=AUTO).shuffle(100).batch(32)  # expect: DP102
    b = lines.map(decode_by_place, num_parallel_calls=AUTO).batch(32)  # expect: DP102
    c = lines.map(decode_to_one_tensor, num_parallel_calls=AUTO).batch(32)
    d = lines.map(decode_to_list, num_parallel_calls=AUTO).batch(32)
    e = lines.map(decode_and_read, num_parallel_calls=AUTO).batch(32)
    f = lines.map(lambda line: tf.io.decode_csv(line, [[0.0], [0.0]]), num_parallel_calls=AUTO).batch(32)
    return a, b, c, d, e, f


def scale_image(record):
    record[IMAGE] = tf.cast(record[IMAGE], tf.float32) / 255.0
    return record


def named_fields():
    a = tfds.load("mnist", split="train").map(scale_image, num_parallel_calls=AUTO).batch(32)  # expect: DP102
    b = tfds.load("coco", split="train").map(scale_image, num_parallel_calls=AUTO).batch(32)  # hint: DP102
    return a, b


def parse_one_of_many(record, shape):
    parsed = tf.io.parse_example([record], {"x": tf.io.VarLenFeature(tf.float32)})
    return tf.reshape(tf.sparse.to_dense(parsed["x"]), shape)


def batches_of_one(files, shape):
    return tf.data.TFRecordDataset(files).map(lambda r: parse_one_of_many(r, shape), num_parallel_calls=AUTO).batch(8)


class Settings:
    def __init__(self, classes):
        self.classes = classes

    def prepare(self, x, y):
        return tf.cast(x, tf.float32) / 255.0, tf.one_hot(y, self.classes)

    def load(self, x, y):
        ds = tf.data.Dataset.from_tensor_slices((x, y))
        return ds.map(self.prepare, num_parallel_calls=AUTO).batch(32)  # expect: DP102


def settled_before(x, training):
    def prepare(image):
        image = tf.cast(image, tf.float32) / 255.0
        if training:
            image = tf.clip_by_value(image, 0.0, 1.0)
        return image

    def depends(image):
        image = tf.cast(image, tf.float32) / 255.0
        if image > 0:
            image = -image
        return image

    ds = tf.data.Dataset.from_tensor_slices(x)
    a = ds.map(prepare, num_parallel_calls=AUTO).batch(32)  # expect: DP102
    b = ds.map(depends, num_parallel_calls=AUTO).batch(32)
    c = ds.map(lambda i: i[..., tf.newaxis] / 255, num_parallel_calls=AUTO).batch(32)  # expect: DP102
    return a, b, c


def looked_at_singly(x, plot):
    ds = tf.data.Dataset.from_tensor_slices(x)
    ds = ds.map(scale, num_parallel_calls=AUTO)  # hint: DP102
    for image in ds:
        plot(image)
    return ds.batch(4)


TEN = range(0, 10)


def ten_of_them(x, y):
    few = (x[TEN], y[TEN])
    a = tf.data.Dataset.from_tensor_slices(few).map(scale_pair, num_parallel_calls=AUTO).batch(len(TEN))
    b = tf.data.Dataset.from_tensor_slices(x[:5]).map(scale, num_parallel_calls=AUTO).batch(5)
    c = tf.data.Dataset.from_tensor_slices(x[:5000]).map(scale, num_parallel_calls=AUTO).batch(5)  # expect: DP102
    return a, b, c


at_the_end = tf.data.Dataset.from_tensor_slices(AUTO)
at_the_end = at_the_end.map(scale, num_parallel_calls=AUTO)  # expect: DP102
at_the_end = at_the_end.batch(32)


def reads_batches(model):
    for batch in at_the_end:
        model.train_on_batch(batch)


def batches_from_the_start(size):
    train = tfds.load("mnist", split="train", batch_size=size)
    train = train.map(lambda x: tf.cast(x["image"], tf.float32) / 255.0, num_parallel_calls=8)
    return train.shuffle(100).batch(4)
from elsewhere import unknown
