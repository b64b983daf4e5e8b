import tensorflow as tf

BATCH = 128
STEPS = 1000
FILES = ["train-0.tfrecord", "train-1.tfrecord"]


def parse(record):
    features = tf.parse_single_example(record, {
        "image": tf.FixedLenFeature([], tf.string),
        "label": tf.FixedLenFeature([], tf.int64),
    })
    image = tf.decode_raw(features["image"], tf.uint8)
    image = tf.reshape(tf.cast(image, tf.float32), [32, 32, 3])
    image = tf.random_crop(tf.image.random_flip_left_right(image), [28, 28, 3])
    return tf.image.per_image_standardization(image), features["label"]


dataset = tf.data.TFRecordDataset(FILES)
dataset = dataset.shuffle(10000).repeat().map(parse)
dataset = dataset.batch(BATCH).prefetch(1)
images, labels = dataset.make_one_shot_iterator().get_next()
logits = tf.layers.dense(tf.layers.flatten(images), 10)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(STEPS):
        _, value = sess.run([train_op, loss])

result = STEPS
