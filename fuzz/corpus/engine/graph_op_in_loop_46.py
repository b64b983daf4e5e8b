class Layer(tf.keras.layers.Layer):
    def call(self, x):
        for i in range(self.n):
            x += tf.reduce_sum(self.w)
        return x
