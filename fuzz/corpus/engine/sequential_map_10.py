class Pipeline:
    def __init__(self, paths):
        self.dataset = tf.data.Dataset.from_tensor_slices(paths)

    def build(self):
        self.dataset = self.dataset.map(self.load)
        return self.dataset

    def load(self, path):
        return tf.io.decode_png(tf.io.read_file(path))
