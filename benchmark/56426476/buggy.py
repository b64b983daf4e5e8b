import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K

BATCHES = 300

tf.set_random_seed(0)
truth = np.random.rand(BATCHES, 64, 10)
predictions = np.random.rand(BATCHES, 64, 10)
errors = []
for y_true, y_pred in zip(truth, predictions):
    error = K.mean(K.square(K.constant(y_true) - K.constant(y_pred)))
    errors.append(K.eval(error))

result = len(errors)
