from tensorflow.python.framework import dtypes
from tensorflow.python.framework import ops as framework_ops
import tensorflow as tensors
import tensorflow as tf


def decode(path):
    return tensors.io.decode_jpeg(tensors.io.read_file(path))


def load(paths):
    return tf.data.Dataset.from_tensor_slices(paths).map(decode)  # expect: DP101


def kinds():
    return dtypes.float32, framework_ops.Tensor
