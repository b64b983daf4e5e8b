# tensorflow 2: InvalidArgumentError: Matrix size-incompatible: In[0]: [1,3], In[1]: [2,3] [Op:MatMul]
import tensorflow as tf


class Dense(tf.Module):
    def __init__(self, in_features, out_features, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.random.normal([in_features, out_features]), name="w")
        self.b = tf.Variable(tf.zeros([out_features]), name="b")

    def __call__(self, x):
        y = tf.matmul(x, self.w) + self.b  # expect: DP602
        return tf.nn.relu(y)


class Stack(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.dense_1 = Dense(in_features=3, out_features=3)
        self.dense_2 = Dense(in_features=2, out_features=2)  # fixed: self.dense_2 = Dense(in_features=3, out_features=2)

    def __call__(self, x):
        x = self.dense_1(x)
        return self.dense_2(x)


print(Stack()(tf.constant([[2.0, 2.0, 2.0]])))
