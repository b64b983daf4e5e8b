"""Datasets that a function returns, and of which its own script reads little."""
import cv2
import tensorflow as tf


def load(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))


def looked_at(paths):
    return tf.data.Dataset.from_tensor_slices(paths).map(load)  # hint: DP101


def handed_on(paths):
    return looked_at(paths).shuffle(10)


def trained_on(paths):
    return tf.data.Dataset.from_tensor_slices(paths).map(load)  # expect: DP101


def input_fn():
    return tf.data.Dataset.from_tensor_slices(tf.io.gfile.listdir(".")).map(load)  # expect: DP101, DP103


def called_by_nobody(paths):
    return tf.data.Dataset.from_tensor_slices(paths).map(load)  # expect: DP101


def element(paths):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(load)  # hint: DP101
    return ds.make_one_shot_iterator().get_next()


def shown(paths):
    images = iter(tf.data.Dataset.from_tensor_slices(paths).map(load))  # hint: DP101
    while True:
        image = next(images)
        cv2.imshow("image", image.numpy())
        cv2.waitKey()


def nested(paths, model):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(load)  # expect: DP101

    def read():
        for image in ds:
            model.train_on_batch(image)

    return read


print(next(iter(handed_on("x"))))
print(next(iter(trained_on("x"))))
print(next(iter(input_fn())))
print(tf.Session().run(element("x")))
for x in trained_on("y"):
    print(x, x.shape, sum(x))
    x.train()
tf.estimator.Estimator(None).train(input_fn=input_fn)


def looked_at_rarely(paths, others, model):
    training = iter(tf.data.Dataset.from_tensor_slices(paths).map(load))  # expect: DP101
    validation = iter(tf.data.Dataset.from_tensor_slices(others).map(load))  # hint: DP101
    for step in range(100000):
        model.train_on_batch(next(training))
        if step % 1000 == 0:
            print(model(next(validation)))


def read_often_enough(paths, others, model):
    even = iter(tf.data.Dataset.from_tensor_slices(paths).map(load))  # expect: DP101
    mostly = iter(tf.data.Dataset.from_tensor_slices(others).map(load))  # expect: DP101
    for step in range(100000):
        if step % 2 == 0:
            model.train_on_batch(next(even))
        if step % 1000 != 0:
            model.train_on_batch(next(mostly))
