# tensorflow 1: dimensions must be equal, but are 200 and 100
import tensorflow as tf


class Model(object):
    def __init__(self, config):
        self.config = config
        self.x = tf.placeholder(tf.int32, [None, config["steps"]])
        self.y = tf.placeholder(tf.int32, [None, config["steps"]])
        emb = tf.get_variable("emb", [config["vocab"], config["dim"]])
        inputs = tf.nn.embedding_lookup(emb, self.x)
        cell = tf.contrib.rnn.GRUCell(config["hidden"])
        outputs, _ = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
        flat = tf.reshape(outputs, [-1, config["hidden"]])
        w = tf.get_variable("softmax_w", [config["dim"], config["vocab"]])  # fixed: w = tf.get_variable("softmax_w", [config["hidden"], config["vocab"]])
        self.logits = tf.matmul(flat, w)  # expect: DP602


m = Model({"steps": 35, "vocab": 10000, "dim": 100, "hidden": 200})
