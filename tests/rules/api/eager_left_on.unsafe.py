import tensorflow as tf
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(1)])
model.compile("adam", "mse")  # expect: DP112
model.compile(optimizer="adam", loss="mse")  # expect: DP112
tf.config.run_functions_eagerly(True)  # expect: DP112
tf.config.experimental_run_functions_eagerly(True)  # expect: DP112
tf.data.experimental.enable_debug_mode()  # expect: DP112
tf.debugging.enable_check_numerics()  # expect: DP112
model.run_eagerly = True  # expect: DP112


def silent(flags, debug, other):
    model.compile("adam", "mse")
    model.compile("adam", "mse", run_eagerly=False)
    model.compile("adam", "mse", run_eagerly=flags.eager)
    tf.config.run_functions_eagerly(debug and False)
    tf.config.run_functions_eagerly(debug)
    if flags.debug:
        tf.config.run_functions_eagerly(True)
        model.run_eagerly = True
        tf.debugging.enable_check_numerics()
    other.run_eagerly = True
    eager_model = keras.Sequential([keras.layers.Dense(1)])
    eager_model.compile("adam", "mse", run_eagerly=True)
    flags.define(run_eagerly=True)


def debug_step():
    tf.config.run_functions_eagerly(True)
