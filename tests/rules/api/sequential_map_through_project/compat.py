from tensorflow.compat.v2 import *
