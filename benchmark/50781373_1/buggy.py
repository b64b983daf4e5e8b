import numpy as np
import tensorflow as tf

BATCH = 128
STEPS = 1000

features = np.random.rand(20000, 64).astype(np.float32)
labels = np.random.randint(10, size=20000).astype(np.int32)


def prepare(x, y):
    return (x - 0.5) * 2.0, tf.one_hot(y, 10)


dataset = tf.data.Dataset.from_tensor_slices((features, labels))
dataset = dataset.repeat().map(prepare, num_parallel_calls=4).batch(BATCH).prefetch(1)
x, y = dataset.make_one_shot_iterator().get_next()
logits = tf.layers.dense(x, 10)
loss = tf.losses.softmax_cross_entropy(y, logits)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(STEPS):
        _, value = sess.run([train_op, loss])

result = STEPS
