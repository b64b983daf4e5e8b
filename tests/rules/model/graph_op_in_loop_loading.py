"""Variables that are set one by one: once, where a model is loaded, or again and again."""
import numpy as np
import tensorflow as tf


def load(session, path):
    weights = np.load(path).item()
    for layer in weights:
        with tf.variable_scope(layer, reuse=True):
            for data in weights[layer]:
                variable = tf.get_variable("biases" if len(data.shape) == 1 else "weights", trainable=False)
                session.run(variable.assign(data))  # hint: DP201


def load_all(session, values):
    for index, variable in enumerate(tf.trainable_variables()):
        session.run(tf.assign(variable, values[variable.name]))  # hint: DP201


def same_each_time(session, variable, values):
    for value in values:
        session.run(variable.assign(value))  # expect: DP201


def steps(session, variables, count):
    for step in range(count):
        variable = variables[step % 2]
        session.run(variable.assign(step))  # expect: DP201


def update(session, targets, sources):
    for target, source in zip(targets, sources):
        session.run(tf.assign(target, source))  # expect: DP201


def train(session, step, targets, sources):
    for _ in range(100000):
        session.run(step)
        update(session, targets, sources)


def initialise_what_is_new(session):
    for variable in tf.global_variables():
        if not session.run(tf.is_variable_initialized(variable)):  # hint: DP201
            session.run(tf.variables_initializer([variable]))  # hint: DP201


def again_in_every_step(session, steps):
    for _ in range(steps):
        for variable in tf.global_variables():
            session.run(tf.is_variable_initialized(variable))  # expect: DP201


def stored_at_once(session, weights, names):
    for name in names:
        array = session.run(weights[name])
        weights[name] = tf.Variable(array)  # hint: DP201


def updates_of(parameters, gradients, rate, step):
    updates = []
    for p, g in zip(parameters, gradients):
        updates.append(p.assign(p - rate * g / (1.0 - tf.pow(0.9, step))))  # hint: DP201
    return updates
