import tensorflow as tf

BATCH = 32
PATTERN = "train/*.jpg"


def decode(path):
    image = tf.image.decode_jpeg(tf.read_file(path), channels=3)
    image = tf.image.resize_images(image, [224, 224])
    return image / 255.0


def input_fn():
    files = tf.data.Dataset.list_files(PATTERN)
    images = files.map(decode, num_parallel_calls=8)
    return images.batch(BATCH).prefetch(2)


batch = input_fn().make_one_shot_iterator().get_next()
brightness = tf.reduce_mean(batch)
values = []
with tf.Session() as sess:
    try:
        while True:
            values.append(sess.run(brightness))
    except tf.errors.OutOfRangeError:
        pass

result = len(values)
