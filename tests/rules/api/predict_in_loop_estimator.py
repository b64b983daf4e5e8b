import tensorflow.compat.v1 as tf


def make(columns):
    return tf.estimator.DNNClassifier(hidden_units=[8], feature_columns=columns, model_dir="m")


def dataset(rows):
    return tf.data.Dataset.from_tensor_slices({"x": rows}).batch(8).prefetch(2)


def route(columns, tickets):
    estimator = make(columns)
    answers = []
    for ticket in tickets:
        answers.append(next(estimator.predict(lambda: dataset([ticket]))))  # expect: DP109
    return answers


def all_at_once(columns, tickets):
    estimator = make(columns)
    return list(estimator.predict(lambda: dataset(tickets)))


def per_checkpoint(columns, tickets, checkpoints):
    estimator = make(columns)
    for path in checkpoints:
        print(list(estimator.predict(lambda: dataset(tickets), checkpoint_path=path)))


def between_trainings(columns, tickets, epochs):
    estimator = make(columns)
    for epoch in range(epochs):
        estimator.train(lambda: dataset(tickets))
        print(list(estimator.predict(lambda: dataset(tickets))))
