import argparse
import dataclasses

import jax
import optax
import tensorflow as tf

EPOCHS = 60


def by_constant(model, batches):
    schedule = tf.keras.optimizers.schedules.CosineDecay(1e-3, decay_steps=EPOCHS)  # expect: DP980
    model.compile(optimizer=tf.keras.optimizers.Adam(schedule), loss="mse")
    model.fit(batches, epochs=EPOCHS)


def in_steps(model, batches):
    schedule = tf.keras.optimizers.schedules.CosineDecay(1e-3, decay_steps=EPOCHS * len(batches))
    model.compile(optimizer=tf.keras.optimizers.Adam(schedule), loss="mse")
    model.fit(batches, epochs=EPOCHS)


@dataclasses.dataclass
class Config:
    epochs: int = 30
    steps: int = 20_000
    lr: float = 1e-3


def schedule_options(config):
    return {
        "initial_learning_rate": config.lr,
        "decay_steps": config.epochs,  # expect: DP980
    }


def step_options(config):
    return {"initial_learning_rate": config.lr, "decay_steps": config.steps}


class Trainer:
    def __init__(self, config, model):
        self.config = config
        self.model = model
        rate = tf.keras.optimizers.schedules.CosineDecay(**schedule_options(config))
        other = tf.keras.optimizers.schedules.CosineDecay(**step_options(config))
        self.optimizers = [tf.keras.optimizers.Adam(rate), tf.keras.optimizers.Adam(other)]

    def run(self, batches):
        self.model.compile(optimizer=self.optimizers[0], loss="mse")
        self.model.fit(batches, epochs=self.config.epochs)


def make_optimizer(lr, length):
    return optax.adam(optax.cosine_decay_schedule(lr, length))  # expect: DP980


def make_step_optimizer(lr, length):
    return optax.adam(optax.cosine_decay_schedule(lr, length))


@jax.jit
def step(params, state, batch):
    grads = jax.grad(lambda p: ((batch @ p) ** 2).mean())(params)
    updates, state = make_optimizer(1e-3, 10).update(grads, state, params)
    return optax.apply_updates(params, updates), state


def main(params, batches):
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--steps", type=int, default=2000)
    args = parser.parse_args()
    tx = make_optimizer(1e-3, args.epochs)
    other = make_step_optimizer(1e-3, args.steps)
    state = tx.init(params)
    for epoch in range(args.epochs):
        for batch in batches:
            params, state = step(params, state, batch)
    return params, other


def asked_per_epoch(params, epochs, batches, set_rate):
    decay = optax.linear_schedule(1e-3, 0.0, epochs)
    for epoch in range(epochs):
        set_rate(decay(epoch))
        for batch in batches:
            params, _ = step(params, None, batch)
    return params


class Task:
    config = {"epochs": 50, "lr": 1e-3}


class Regression(Task):
    def schedule(self):
        total = self.config["epochs"]
        return optax.cosine_decay_schedule(self.config["lr"], total)  # expect: DP980

    def long_schedule(self, steps_per_epoch):
        total = self.config["epochs"] * steps_per_epoch
        return optax.cosine_decay_schedule(self.config["lr"], total)


def run(params, batches):
    task = Regression()
    state = (optax.adam(task.schedule()).init(params), optax.adam(task.long_schedule(100)).init(params))
    for _ in range(task.config["epochs"]):
        for batch in batches:
            params, state = step(params, state, batch)
    return params
