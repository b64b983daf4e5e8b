import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K

BATCHES = 300

tf.set_random_seed(0)
truth = np.random.rand(BATCHES, 64, 10)
predictions = np.random.rand(BATCHES, 64, 10)
errors = []
a, b = K.placeholder((64, 10)), K.placeholder((64, 10))
error = K.function([a, b], [K.mean(K.square(a - b))])
for y_true, y_pred in zip(truth, predictions):
    errors.append(error([y_true, y_pred])[0])

result = len(errors)
