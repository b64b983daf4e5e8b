import numpy as np
import tensorflow as tf

REQUESTS = 300

images = tf.placeholder(tf.float32, [None, 28, 28, 1])
features = tf.layers.conv2d(images, 8, 3, activation=tf.nn.relu)
logits = tf.layers.dense(tf.layers.flatten(features), 10)


probabilities = tf.nn.softmax(logits)
best = tf.argmax(probabilities, axis=1)


def classify(sess, image):
    return sess.run(best, {images: image[None]})[0]


answers = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for request in np.random.rand(REQUESTS, 28, 28, 1):
        answers.append(classify(sess, request))

result = len(answers)
