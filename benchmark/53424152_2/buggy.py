import tensorflow as tf

BATCH = 32
STEPS = 500
PATTERN = "train/*.tfrecord"


def parse(record):
    features = tf.parse_single_example(record, {
        "image": tf.FixedLenFeature([], tf.string),
        "label": tf.FixedLenFeature([], tf.int64),
    })
    image = tf.image.decode_jpeg(features["image"], channels=3)
    return tf.image.resize_images(image, [128, 128]), features["label"]


def input_fn():
    files = tf.data.Dataset.list_files(PATTERN)
    records = files.interleave(tf.data.TFRecordDataset, cycle_length=4, num_parallel_calls=4)
    examples = records.shuffle(1000).repeat().map(parse, num_parallel_calls=8)
    return examples.batch(BATCH)


images, labels = input_fn().make_one_shot_iterator().get_next()
logits = tf.layers.dense(tf.reduce_mean(images, axis=[1, 2]), 10)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(STEPS):
        _, value = sess.run([train_op, loss])

result = STEPS
