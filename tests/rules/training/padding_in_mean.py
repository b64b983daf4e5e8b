import tensorflow as tf


def token_loss(labels, logits):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def mean_loss(labels, logits):
    losses = token_loss(labels, logits)
    return tf.reduce_mean(losses)  # expect: DP983


def masked_loss(labels, logits):
    losses = token_loss(labels, logits)
    mask = tf.cast(tf.not_equal(labels, 0), losses.dtype)
    return tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)


def product_mean(labels, logits):
    losses = token_loss(labels, logits)
    mask = tf.cast(tf.not_equal(labels, 0), losses.dtype)
    return tf.reduce_mean(losses * mask)  # expect: DP977


def label_loss(labels, logits):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


class Translator:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer

    def forward(self, source, target):
        logits = self.model((source, target[:, :-1]), training=True)
        return mean_loss(target[:, 1:], logits), masked_loss(target[:, 1:], logits)

    def other(self, source, target):
        logits = self.model((source, target[:, :-1]), training=True)
        return product_mean(target[:, 1:], logits)

    @tf.function
    def step(self, source, target):
        with tf.GradientTape() as tape:
            loss, _ = self.forward(source, target)
        weights = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return self.other(source, target)

    def fit(self, data):
        for source, target in data:
            self.step(source, target)


def batches(lines, parse):
    ds = tf.data.TextLineDataset(lines).map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.padded_batch(64).prefetch(tf.data.AUTOTUNE)


def classify(model, lines, parse):
    total = tf.constant(0.0)
    for tokens, label in batches(lines, parse):
        total += label_loss(label, model(tokens))
    return total


def train(model, lines, parse):
    Translator(model, tf.keras.optimizers.Adam(1e-3)).fit(batches(lines, parse))
