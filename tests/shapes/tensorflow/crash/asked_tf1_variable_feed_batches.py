# ValueError: Cannot feed value of shape (64, 32, 32) for Tensor 'Placeholder:0', which has shape '(?, 32, 32, 3)'
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer('batch_size', 64, 'Batch size.')
flags.DEFINE_integer('image_size', 32, 'Width and height.')
FLAGS = flags.FLAGS

def main(_):
    images = tf.placeholder(tf.float32, [None, FLAGS.image_size, FLAGS.image_size, 3])
    net = tf.layers.conv2d(images, 16, 3)
    net = tf.reduce_mean(net, axis=[1, 2])
    data = np.zeros((1024, 32, 32))  # fixed: data = np.zeros((1024, 32, 32, 3))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(0, 1024, FLAGS.batch_size):
            batch = data[i:i + FLAGS.batch_size]
            sess.run(net, feed_dict={images: batch})  # expect: DP613

if __name__ == '__main__':
    tf.app.run()
