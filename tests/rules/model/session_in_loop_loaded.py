import tensorflow as tf
from flask import Flask, request

app = Flask(__name__)


def load_graph(path):
    definition = tf.GraphDef()
    with tf.gfile.GFile(path, "rb") as file:
        definition.ParseFromString(file.read())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    return graph


class Reader:
    def __init__(self, path):
        self.path = path

    def read(self, image):
        graph = load_graph(self.path)
        with tf.Session(graph=graph) as session:  # expect: DP202
            return session.run("output:0", feed_dict={"input:0": image})


class Scorer:
    def __init__(self, folder):
        self.path = tf.train.latest_checkpoint(folder)

    def score(self, array):
        graph = tf.Graph()
        with graph.as_default(), tf.Session(graph=graph) as session:  # expect: DP202
            saver = tf.train.import_meta_graph(self.path + ".meta")
            saver.restore(session, self.path)
            return session.run("probabilities:0", feed_dict={"images:0": array})


scorer = Scorer("models")


@app.route("/score", methods=["POST"])
def score():
    return str(scorer.score(request.json))


class Kept:
    def __init__(self, path):
        self.graph = load_graph(path)
        self.session = tf.Session(graph=self.graph)

    def read(self, image):
        return self.session.run("output:0", feed_dict={"input:0": image})


def of_checkpoint(path, images):
    graph = tf.Graph()
    with graph.as_default(), tf.Session(graph=graph) as session:
        saver = tf.train.import_meta_graph(path + ".meta")
        saver.restore(session, path)
        return session.run("output:0", feed_dict={"input:0": images})


def read_all(images, checkpoints):
    reader = Reader("model.pb")
    kept = Kept("model.pb")
    for image in images:
        print(reader.read(image), kept.read(image))
    for path in checkpoints:
        print(of_checkpoint(path, images))
