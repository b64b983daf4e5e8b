# InvalidArgumentError: cannot compute Mul as input #1(zero-based) was expected to be a int64 tensor but is a float tensor
import tensorflow as tf

scores = tf.argmax(tf.random.uniform((4, 10)), axis=1)
weights = tf.random.uniform((4,))
print(scores * weights)  # expect: DP607 # fixed: print(tf.cast(scores, tf.float32) * weights)
