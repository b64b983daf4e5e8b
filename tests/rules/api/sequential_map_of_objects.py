"""Methods of objects that stand in a list, or that a generator gives."""
import tensorflow as tf


class Part:
    def __init__(self, whole, key):
        self.whole = whole
        self.key = key

    def cut(self, sample):
        return dict(sample, **{self.key: sample[self.key][:, : self.whole.size, :]})

    def decode(self, sample):
        return dict(sample, **{self.key: tf.io.decode_jpeg(sample[self.key])})


class Whole:
    def __init__(self, names):
        self.size = 4
        self.names = names
        self.made = None

    @property
    def parts(self):
        if self.made is None:
            self.made = []
            for name in self.names:
                self.made.append(Part(self, name))
        for part in self.made:
            yield part

    def build(self, files):
        ds = tf.data.Dataset.from_tensor_slices(files)
        for part in self.parts:
            ds = ds.map(part.cut)  # hint: DP101
            ds = ds.map(part.decode)  # expect: DP101
        return ds


def with_checks(files, show):
    def reshape(row):
        label = row.pop("label")
        tf.debugging.assert_equal(tf.shape(label)[0], 3)
        if show:
            row["id"] = tf.Print(input_=row["id"], data=[tf.reshape(row["id"], [-1])], message="id")
            tf.print(row["id"])
        return {key: tf.reshape(row[key], [-1, 3]) for key in row}, label

    return tf.data.TFRecordDataset(files).map(reshape)  # hint: DP101


def embedded(titles):
    model = tf.keras.Sequential([tf.keras.layers.StringLookup(), tf.keras.layers.Embedding(1000, 64)])
    return titles.batch(100).map(model)  # hint: DP101


def augmented(images):
    augment = tf.keras.Sequential([tf.keras.layers.RandomFlip(), tf.keras.layers.RandomRotation(0.1)])
    return tf.data.Dataset.from_tensor_slices(images).map(augment)  # expect: DP101


class Lines:
    def fields(self, line):
        raise NotImplementedError

    def parse(self, line):
        return self.fields(tf.strings.strip(line))

    def dataset(self, path):
        return tf.data.TextLineDataset(path).map(self.parse)  # hint: DP101


class Words(Lines):
    def fields(self, line):
        return tf.strings.split(line)[0]


class Cells(Lines):
    def fields(self, line):
        return tf.strings.split(tf.strings.strip(line), sep=",")[0]


class Images:
    def parse(self, record):
        raise NotImplementedError()

    def dataset(self, path):
        return tf.data.TFRecordDataset(path).map(self.parse)  # expect: DP101


class Photos(Images):
    def parse(self, record):
        return tf.io.decode_jpeg(record)


class Sounds(Images):
    def parse(self, record):
        raise NotImplementedError()


class Noise(Sounds):
    def parse(self, record):
        return tf.audio.decode_wav(record)


class Plain(Lines):
    def fields(self, line):
        pass


class Pictures:
    def prepare(self, image, training, decoded):
        if decoded:
            image = tf.io.decode_jpeg(image)
        return image

    def dataset(self, images: tf.data.Dataset):
        cheap = images.map(lambda x: Pictures.prepare(self, x, True, False))  # hint: DP101
        return cheap, images.map(lambda x: Pictures.prepare(self, x, False, True))  # expect: DP101
