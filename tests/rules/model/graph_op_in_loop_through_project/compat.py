import tensorflow.compat.v1 as tf1
from tensorflow.compat.v2 import *

Session = tf1.Session
variables_initializer = tf1.variables_initializer
global_variables = tf1.global_variables
