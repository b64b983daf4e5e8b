def decode(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))
