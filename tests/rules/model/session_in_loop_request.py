import keras
import tensorflow.compat.v1 as tf
from flask import Flask, jsonify, request

app = Flask(__name__)
PATH = "ckpt/model"


def net(x):
    return tf.layers.dense(x, 10)


class One:
    def answer(self, batch):
        graph = tf.Graph()
        with graph.as_default():
            x = tf.placeholder(tf.float32, [None, 4])
            y = net(x)
            saver = tf.train.Saver()
            with tf.Session(graph=graph) as sess:  # expect: DP202
                saver.restore(sess, PATH)
                return sess.run(y, {x: batch})


one = One()


@app.route("/one", methods=["POST"])
def first():
    if request.method == "GET":
        return "no"
    return jsonify(one.answer(request.json["x"]).tolist())


class Two:
    def __init__(self, path):
        self.path = path
        self.model = None

    def _load(self):
        self.model = keras.models.load_model(self.path)  # expect: DP205

    def answer(self, x):
        self._load()
        return self.model.predict(x)


two = Two("model.keras")


@app.route("/two", methods=["POST"])
def second():
    return jsonify(two.answer(request.json["x"]).tolist())


SESS = None


def connect():
    global SESS
    SESS = tf.Session()  # expect: DP202
    tf.train.Saver().restore(SESS, PATH)


@app.route("/three", methods=["POST"])
def third():
    connect()
    return jsonify(SESS.run("y:0", {"x:0": request.json["x"]}).tolist())


def open_session():
    sess = tf.Session()  # expect: DP202
    tf.train.Saver().restore(sess, PATH)
    return sess


@app.route("/four", methods=["POST"])
def fourth():
    sess = open_session()
    return jsonify(sess.run("y:0", {"x:0": request.json["x"]}).tolist())


class Five:
    def __init__(self, path):
        self.sess = tf.Session()  # expect: DP202
        tf.train.Saver().restore(self.sess, path)


@app.route("/five", methods=["POST"])
def fifth():
    five = Five(PATH)
    return jsonify(five.sess.run("y:0", {"x:0": request.json["x"]}).tolist())


class Good:
    def __init__(self):
        self.sess = None
        self.model = None

    def _load(self):
        if self.sess is not None:
            return
        self.sess = tf.Session()
        tf.train.Saver().restore(self.sess, PATH)

    def _model(self):
        self.model = keras.models.load_model(PATH)

    def answer(self, x):
        self._load()
        if self.model is None:
            self._model()
        return self.model.predict(self.sess.run("y:0", {"x:0": x}))


good = Good()


@app.route("/good", methods=["POST"])
def sixth():
    return jsonify(good.answer(request.json["x"]).tolist())
