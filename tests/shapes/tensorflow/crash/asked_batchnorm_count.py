# ValueError: operands could not be broadcast together with shapes (60000,784) (28,28)
import numpy as np
from keras.datasets import mnist
(x, y), _ = mnist.load_data()
mean = x.mean(axis=0)
x = x.reshape(60000, 784)
x = x - mean  # expect: DP602 # fixed: x = x - mean.reshape(784)
