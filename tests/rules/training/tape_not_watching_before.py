import tensorflow as tf


class Distiller:
    def __init__(self, student, teacher):
        self.student, self.teacher = student, teacher
        self.optimizer = tf.keras.optimizers.Adam(1e-4)

    def divergence(self, x):
        target = tf.nn.softmax(self.teacher(x, training=False))
        logits = self.student(x, training=True)
        return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=target, logits=logits))

    @tf.function
    def too_early(self, x):
        loss = self.divergence(x)
        with tf.GradientTape() as tape:
            scaled = loss * 2.0
        weights = self.student.trainable_variables
        grads = tape.gradient(loss, weights)  # expect: DP858
        self.optimizer.apply_gradients(zip(grads, weights))
        return scaled

    @tf.function
    def inside(self, x):
        with tf.GradientTape() as tape:
            loss = self.divergence(x)
        weights = self.student.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss

    @tf.function
    def both(self, x):
        loss = tf.constant(0.0)
        with tf.GradientTape() as tape:
            loss += self.divergence(x)
        weights = self.student.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss
