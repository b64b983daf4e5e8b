import tensorflow as tf


def body(x):
    return tf.square(x)


def in_loop(dataset):
    for batch in dataset:
        step = tf.function(body)  # expect: DP206
        step(batch)
    for batch in dataset:
        tf.function(body)(batch)  # expect: DP206
    for batch in dataset:

        @tf.function  # expect: DP206
        def inner(x):
            return tf.square(x)

        inner(batch)


def per_call(x):
    fast = tf.function(body)  # hint: DP206
    return fast(x)


def perhaps_once(x):
    @tf.function(jit_compile=True)  # hint: DP206
    def inner(y):
        return tf.square(y)

    return inner(x)


def caller(dataset):
    for batch in dataset:
        per_call(batch)


step = tf.function(body)


@tf.function
def module_level(x):
    return tf.function(body)(x)


def silent(dataset, models, cache):
    made = tf.function(body)
    for batch in dataset:
        made(batch)
        module_level(batch)
    for model in models:
        train = tf.function(model.train)
        for batch in dataset:
            train(batch)
    functions = []
    for model in models:
        functions.append(tf.function(model.call))
    for key in dataset:
        cache[key] = tf.function(body)
    for key in dataset:
        if key not in cache:
            found = tf.function(body)
            found(key)
    for model in (1, 2):
        few = tf.function(body)
        few(model)
    return functions


class Trainer:
    def __init__(self):
        self.step = tf.function(self.run)

    def run(self, x):
        return x

    def make(self):
        return tf.function(self.run)

    def train(self, dataset):
        @tf.function
        def inner(x):
            return x

        for batch in dataset:
            inner(batch)


def make_step(model):
    @tf.function
    def step(x):
        return model(x)
    return step


def from_factory(model, batches):
    for batch in batches:
        step = make_step(model)  # expect: DP206
        step(batch)
    for batch in batches:
        make_step(model)(batch)  # expect: DP206
    step = make_step(model)
    for batch in batches:
        step(batch)


def from_factory_per_model(models, batches):
    for model in models:
        step = make_step(model)
        for batch in batches:
            step(batch)
