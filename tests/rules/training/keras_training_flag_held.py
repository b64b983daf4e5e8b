import keras
import tensorflow as tf
from keras import layers


def build_encoder(width):
    inputs = keras.Input((32, 32, 3))
    x = layers.Conv2D(width, 3, use_bias=False)(inputs)
    x = layers.BatchNormalization()(x)
    x = layers.Dropout(0.3)(layers.GlobalAveragePooling2D()(layers.ReLU()(x)))
    return keras.Model(inputs, layers.Dense(10)(x))


class Contrastive(keras.Model):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def call(self, images, training=False):
        return self.encoder(images, training=training)

    def train_step(self, data):
        images, labels = data
        with tf.GradientTape() as tape:
            z = self(images)  # expect: DP853
            loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(labels, z, from_logits=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


class Block(layers.Layer):
    def __init__(self, width):
        super().__init__()
        self.dense = layers.Dense(width, use_bias=False)
        self.norm = layers.BatchNormalization()

    def call(self, x, training=None):
        return tf.nn.relu(self.norm(self.dense(x), training=training))


class Stacked(keras.Model):
    def __init__(self, block, head):
        super().__init__()
        self.block = block
        self.head = head

    def call(self, x, training=None):
        return self.head(self.block(x, training=training))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            prediction = self(x)  # expect: DP853
            loss = self.compute_loss(y=y, y_pred=prediction)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


def make_sequential():
    return keras.Sequential([layers.Dense(64, activation="relu"), layers.Dropout(0.5), layers.Dense(1)])


class Wrapped(keras.Model):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def call(self, x):
        return self.net(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            prediction = self(x)  # expect: DP853
            loss = tf.reduce_mean((tf.squeeze(prediction, -1) - y) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


# ---- clean --------------------------------------------------------------------------------------------------------


class Flagged(Contrastive):
    def train_step(self, data):
        images, labels = data
        with tf.GradientTape() as tape:
            z = self(images, training=True)
            loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(labels, z, from_logits=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


class Plain(keras.Model):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def call(self, x):
        return self.net(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.squeeze(self(x), -1) - y) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


class Always(keras.Model):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def call(self, x, training=True):
        return self.net(x, training=training)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.squeeze(self(x), -1) - y) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


class Guided(keras.Model):
    def __init__(self, student, teacher):
        super().__init__()
        self.student = student
        self.teacher = teacher

    def call(self, x):
        return self.student(x)

    def train_step(self, data):
        x, y = data
        wanted = self.teacher(x, training=False)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.squeeze(self(x) - wanted, -1)) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


def main(train):
    models = [
        Contrastive(build_encoder(64)),
        Stacked(Block(64), layers.Dense(1)),
        Wrapped(make_sequential()),
        Flagged(build_encoder(32)),
        Plain(keras.Sequential([layers.Dense(64, activation="relu"), layers.Dense(1)])),
        Always(make_sequential()),
        Guided(keras.Sequential([layers.Dense(1)]), make_sequential()),
    ]
    for model in models:
        model.compile(optimizer="adam")
        model.fit(train, epochs=3)
