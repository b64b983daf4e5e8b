import tensorflow as tf


class Reader:
    def __init__(self, files):
        queue = tf.train.string_input_producer(files)  # expect: DP953
        _, self.record = tf.TFRecordReader().read(queue)
        self.batch = tf.train.shuffle_batch([self.record], 16, 1000, 100)


def main():
    reader = Reader(["a.tfrecords"])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(1000):
            print(session.run(reader.batch))


main()
