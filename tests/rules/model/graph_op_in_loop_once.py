"""What is behind a guard that lets it through once."""
import tensorflow as tf


class Net:
    def __init__(self):
        self.saver = None
        self.late = False
        self.ready = False
        self.low = False
        self.always = False
        self.session = tf.Session()
        self.rate = tf.Variable(1.0)
        self.step = self.rate.assign_add(1.0)

    def save(self, saver=None):
        if (saver == None) & (self.saver == None):
            self.saver = tf.train.Saver()
        self.saver.save(self.session, "x")

    def fit(self, epochs):
        for epoch in range(epochs):
            self.session.run(self.step)
            self.save()
            if epoch > 50 and self.late == False:
                self.session.run(tf.assign(self.rate, 0.1))
                self.late = True
            if self.ready != True:
                self.session.run(tf.assign(self.rate, 0.2))
                self.ready = True
            if self.low == False:
                self.session.run(tf.assign(self.rate, 0.5 ** epoch))  # expect: DP201
                if epoch > 100:
                    self.low = True
            if (epoch > 50) | (self.always == True):
                self.session.run(tf.assign(self.rate, 0.3))  # expect: DP201
                self.always = True
