import tensorflow as tf
from tensorflow.keras import layers, losses, metrics


def model():
    return tf.keras.Sequential([tf.keras.Input((8,)), layers.Dense(16, activation="relu"), layers.Dense(1)])


def measured():
    return ["accuracy"]  # expect: DP972


named = model()
named.compile(optimizer="adam", loss=losses.BinaryCrossentropy(from_logits=True), metrics=measured())
default = model()
default.compile(
    optimizer="adam",
    loss=losses.BinaryCrossentropy(from_logits=True),
    metrics=[metrics.AUC(name="auc")],  # expect: DP972
)
told = model()
told.compile(
    optimizer="adam",
    loss=losses.BinaryCrossentropy(from_logits=True),
    metrics=[metrics.BinaryAccuracy(threshold=0.0), metrics.AUC(from_logits=True)],
)
several = tf.keras.Sequential([tf.keras.Input((8,)), layers.Dense(3)])
several.compile(
    optimizer="adam", loss=losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
)
probabilities = tf.keras.Sequential([tf.keras.Input((8,)), layers.Dense(1, activation="sigmoid")])
probabilities.compile(optimizer="adam", loss=losses.BinaryCrossentropy(), metrics=["accuracy", metrics.AUC()])
