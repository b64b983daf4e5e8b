import cv2
import numpy as np
import tensorflow as tf
from sklearn.metrics import f1_score, roc_auc_score
from tensorflow import keras


# ---- Losses and metrics
def rmsle(y_true, y_pred):
    return np.sqrt(np.mean(np.square(np.log1p(y_pred) - np.log1p(y_true))))  # expect: DP211


def pinball(q):
    def loss(target, output):
        error = target - output
        return np.mean(np.maximum(q * error, (q - 1.0) * error), axis=-1)  # expect: DP211

    return loss


class Focal(keras.losses.Loss):
    def call(self, y_true, y_pred):
        clipped = tf.clip_by_value(y_pred, 1e-6, 1.0)
        return -np.sum(y_true * np.log(clipped))  # expect: DP211


def f1(y_true, y_pred):
    return f1_score(y_true, y_pred.round())  # expect: DP211


def auc(labels, scores):
    return tf.py_function(roc_auc_score, (labels, scores), tf.double)


def weighted(y_true, y_pred):
    scale = np.sqrt(2.0)
    size = np.prod(y_pred.shape[1:])
    return tf.reduce_mean(tf.square(y_true - y_pred)) * scale / size


def exponential(values):
    return np.exp(values)  # expect: DP211


def through_a_helper(y_true, y_pred):
    return tf.reduce_mean(exponential(y_pred - y_true))


def also_on_arrays(y_true, y_pred):
    return np.mean(np.abs(y_true - y_pred))


model = keras.Sequential([keras.layers.Dense(1)])
model.compile(optimizer="adam", loss={f"q{q}": pinball(q) for q in (0.1, 0.9)}, metrics=[f1, auc])
model.compile("adam", rmsle)
model.compile("adam", loss=[weighted, through_a_helper, Focal()])
model.compile("adam", loss="mse")
print(also_on_arrays(np.zeros(3), model.predict(np.zeros((3, 2)))[:, 0]))


# ---- Lambda layers
def unit_length(t):
    return t / np.linalg.norm(t, axis=-1, keepdims=True)  # expect: DP211


inputs = keras.Input((4,))
x = keras.layers.Lambda(unit_length)(inputs)
x = keras.layers.Lambda(lambda t: np.tanh(t))(x)  # expect: DP211
x = keras.layers.Lambda(lambda t: t * np.pi)(x)
net = keras.Model(inputs, x)


# ---- Mapped functions
def read(path):
    return np.load(path)  # expect: DP211


class Pictures:
    def _read(self, path, label):
        image = cv2.imread(path)  # expect: DP211
        return image, label

    def _name(self, path):
        return path.numpy().decode()  # expect: DP211

    def _decode(self, path):
        raw = tf.io.read_file(path)
        return tf.io.decode_jpeg(raw)

    def _wrapped(self, path):
        return tf.numpy_function(self._load, [path], tf.float32)

    def _load(self, path):
        return np.load(path)

    def build(self, paths, labels):
        both = tf.data.Dataset.from_tensor_slices((paths, labels))
        files = tf.data.Dataset.from_tensor_slices(paths)
        return (
            both.map(self._read, num_parallel_calls=4).batch(2).prefetch(1),
            files.map(self._name, num_parallel_calls=4).batch(2).prefetch(1),
            files.map(self._decode, num_parallel_calls=4).batch(2).prefetch(1),
            files.map(self._wrapped, num_parallel_calls=4).batch(2).prefetch(1),  # hint: DP107
        )


arrays = tf.data.Dataset.from_tensor_slices(["a.npy"]).map(read, num_parallel_calls=4).batch(2).prefetch(1)
for name in ["a.npy"]:
    image = np.load(name)
