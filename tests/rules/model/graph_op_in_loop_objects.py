"""Objects that make a part of the graph each, as many as are needed."""
import threading

import tensorflow.compat.v1 as tf


class Worker:
    def __init__(self, session, name):
        self.state = tf.placeholder(tf.float32)
        self.value = tf.reduce_mean(self.state) * 2
        session.run(tf.global_variables_initializer())

    def work(self):
        pass


def kept(session, count):
    workers = []
    for i in range(count):
        worker = Worker(session, i)  # hint: DP201
        workers.append(worker)
    return workers


def listed(session, count):
    workers = []
    by_name = {}
    for i in range(count):
        workers.append(Worker(session, i))  # hint: DP201
    for i in range(count):
        by_name[i] = Worker(session, i)  # hint: DP201
    return workers, by_name, [Worker(session, i) for i in range(count)]  # hint: DP201


def started(session, count):
    for i in range(count):
        worker = Worker(session, i)  # hint: DP201
        threading.Thread(target=worker.work).start()


def dropped(session, count):
    for i in range(count):
        worker = Worker(session, i)  # expect: DP201
        print(session.run(worker.value))


def not_kept_after_all(session, count):
    results = []
    for i in range(count):
        worker = Worker(session, i)  # expect: DP201
        worker = session.run(worker.value)
        results.append(worker)
    for i in range(100000):
        results.append(Worker(session, i))  # expect: DP201
    return results, [session.run(Worker(session, i).value) for i in range(count)]  # expect: DP201
