import tensorflow as tf

queue = tf.train.string_input_producer(["a.tfrecords"])
_, record = tf.TFRecordReader().read(queue)
batch = tf.train.batch([record], 16)
with tf.Session() as session:
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=session, coord=coordinator)
    for _ in range(1000):
        print(session.run(batch))
    coordinator.request_stop()
    coordinator.join(threads)
