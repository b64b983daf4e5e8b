import tensorflow as tf
from tensorflow.keras import mixed_precision

POLICY = "mixed_float16"


class Trainer:
    def __init__(self):
        mixed_precision.set_global_policy(POLICY)
        self.model = tf.keras.Sequential([tf.keras.layers.Dense(8), tf.keras.layers.Dense(1, dtype="float32")])
        self.optimizer = mixed_precision.LossScaleOptimizer(tf.keras.optimizers.Adam(1e-3))

    def gradients(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.model(x, training=True) - y) ** 2)
        weights = self.model.trainable_variables
        return tape.gradient(loss, weights), weights  # expect: DP956

    @tf.function
    def step(self, x, y):
        grads, weights = self.gradients(x, y)
        self.optimizer.apply_gradients(zip(grads, weights))
