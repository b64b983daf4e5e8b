import numpy as np
import tensorflow as tf

STEPS = 300
COPY_EVERY = 10


def network(states, scope):
    with tf.variable_scope(scope):
        hidden = tf.layers.dense(states, 32, tf.nn.relu)
        return tf.layers.dense(hidden, 4)


states = tf.placeholder(tf.float32, [None, 8])
online = network(states, "online")
target = network(states, "target")
loss = tf.reduce_mean(tf.square(online - tf.stop_gradient(target) - 1.0))
train_op = tf.train.AdamOptimizer(1e-3).minimize(loss, var_list=tf.trainable_variables("online"))
pairs = zip(tf.trainable_variables("target"), tf.trainable_variables("online"))
copy_op = [old.assign(new) for old, new in pairs]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(STEPS):
        sess.run(train_op, {states: np.random.rand(32, 8)})
        if step % COPY_EVERY == 0:
            sess.run(copy_op)

result = STEPS
