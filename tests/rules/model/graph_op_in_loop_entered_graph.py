"""A graph that is entered again is no new one; several graphs, or one that is made in each turn, are."""
import tensorflow as tf


class Predictor:
    def __init__(self, path):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32)
        self.session = tf.Session(graph=self.graph)

    def predict(self, x):
        with self.graph.as_default():
            p = tf.nn.softmax(self.x)
            return self.session.run(p, {self.x: x})

    def predict_all(self, xs):
        return [self.predict(x) for x in xs]  # expect: DP201


class Given:
    def __init__(self, graph):
        self.graph = graph
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32)
            self.y = tf.nn.softmax(self.x)

    def run(self, x):
        with tf.Session(graph=self.graph) as sess:
            return sess.run(self.y, {self.x: x})


def each_turn(xs):
    predictor = Predictor("x")
    for x in xs:
        predictor.predict(x)  # expect: DP201


def several_predictors(paths, x):
    for predictor in [Predictor(path) for path in paths]:
        predictor.predict(x)
    for path in paths:
        predictor = Predictor(path)
        predictor.predict(x)


def several_graphs(graphs, x):
    for graph in graphs:
        Given(graph).run(x)


def detect(image, graph):
    with graph.as_default():
        with tf.Session() as sess:  # hint: DP202
            boxes = tf.squeeze(graph.get_tensor_by_name("boxes:0"), [0])
            return sess.run(boxes, {"image:0": image})


def load():
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(tf.GraphDef())
    return graph


def video(camera):
    graph = load()
    while camera.is_open():
        detect(camera.read(), graph)  # expect: DP201


def ensemble(image, count):
    graphs = [load() for _ in range(count)]
    for graph in graphs:
        detect(image, graph)


GRAPH = tf.Graph()


def inline(images):
    for image in images:
        with GRAPH.as_default():
            with tf.Session() as sess:  # hint: DP202
                sess.run(tf.squeeze(image))  # expect: DP201


def inline_new(images):
    for image in images:
        with tf.Graph().as_default():
            with tf.Session() as sess:
                sess.run(tf.squeeze(image))


class Layer:
    def __init__(self):
        self.graph = tf.Graph()

    def fit(self, data, graph=None):
        entered = graph if graph is not None else self.graph
        with entered.as_default():
            with tf.Session() as session:
                return session.run(tf.reduce_sum(data))


def fit_layers(layers, graphs, data):
    for number, layer in enumerate(layers, 1):
        data = layer.fit(data, graphs[number])
    return data
