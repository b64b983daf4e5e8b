import tensorflow as tf


def singly(tape, loss, model, optimizer):
    gradients = tape.gradient(loss, model.trainable_variables)
    for gradient, variable in zip(gradients, model.trainable_variables):
        optimizer.apply_gradients([(gradient, variable)])  # expect: DP246


def together(tape, loss, model, optimizer):
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


def models(tape, loss, parts, optimizer: tf.keras.optimizers.Optimizer):
    for part in parts:
        gradients = tape.gradient(loss, part.trainable_variables)
        optimizer.apply_gradients(zip(gradients, part.trainable_variables))
