# TypeError: call() takes 2 positional arguments but 3 were given
import tensorflow as tf

class Net(tf.keras.Model):
    def __init__(self, hidden):
        super(Net, self).__init__()
        self.d1 = tf.keras.layers.Dense(hidden, activation='relu')
        self.d2 = tf.keras.layers.Dense(1)

    def call(self, inputs):  # fixed: def call(self, inputs, extra):
        #+ inputs = tf.concat([inputs, extra], axis=-1)
        return self.d2(self.d1(inputs))

net = Net(32)
a = tf.random.normal((8, 10))
b = tf.random.normal((8, 4))
print(net(a, b))  # expect: DP610
