import tensorflow as tf

features = tf.placeholder(tf.float32, [None, 64])
labels = tf.placeholder(tf.int64, [None])
logits = tf.layers.dense(tf.layers.dense(features, 256, tf.nn.relu), 10)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

config = tf.ConfigProto(
    intra_op_parallelism_threads=1,  # expect: DP525
    inter_op_parallelism_threads=2,
)
with tf.Session(config=config) as session:
    session.run(tf.global_variables_initializer())
    for batch, target in batches():
        session.run(step, feed_dict={features: batch, labels: target})  # hint: DP108
