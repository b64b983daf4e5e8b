# Python 2, as still found in many repositories. It is parsed like any other file.
import sys

import cPickle
import tensorflow as tf


def evaluate(path, (width, height)=(28, 28)):
    try:
        images = cPickle.load(open(path))
    except IOError, e:
        print >>sys.stderr, "cannot read %s:" % path, e
        raise SystemExit, 1
    print "images:", len(images), `images[0].shape`
    for i in xrange(len(images)):
        # PLANTED: a session per image
        with tf.Session() as sess:
            saver = tf.train.import_meta_graph("model.meta")
            saver.restore(sess, "model")
            print sess.run("output:0", {"input:0": images[i].reshape(1, width, height)}),
    if len(images) <> 10000L:
        exec "print 'an unusual number of images'"
